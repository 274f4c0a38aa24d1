export interface Measured {
  seconds: number;
  decisionMs: number[];
  perSecond: number;
  p50: number;
  p99: number;
}
export function measure(options: {
  cycle: () => Promise<number>;
  count: number;
  concurrency: number;
}): Promise<Measured>;
export function cost(
  client: unknown,
  count: number,
  work: () => Promise<Measured>,
): Promise<Measured & { walBytes: number; writes: number }>;
