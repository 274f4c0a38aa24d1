/** One thing that was checked. `hint` says what to do, unless all is well. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "problem";
  text: string;
  hint?: string;
}

export const ok = (check: string, text: string): Finding => ({ check, state: "ok", text });
export const warning = (check: string, text: string, hint: string): Finding => ({
  check,
  state: "warning",
  text,
  hint,
});
export const problem = (check: string, text: string, hint: string): Finding => ({
  check,
  state: "problem",
  text,
  hint,
});

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
