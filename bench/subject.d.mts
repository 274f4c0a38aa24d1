export interface Subject {
  start(): Promise<string>;
  decide(id: string): Promise<void>;
  recover(id: string): Promise<"ended" | "asks" | "review">;
  close(): Promise<void>;
}
export interface SubjectOptions {
  url: string;
  onAct: () => unknown;
}
export const POOL_SIZE: number;
export function runSubject(
  open: (options: SubjectOptions) => Promise<Subject>,
  facts: { url: string; task: unknown },
): Promise<never>;
