import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

interface Metrics {
  registry: Registry;
  requestSeconds: Histogram<"operation" | "method" | "status">;
}

// One registry per process: Next loads this module once per bundle, and twice-registered metrics throw.
const kept = globalThis as typeof globalThis & { __kimitsuMetrics?: Metrics };

export function metrics(): Metrics {
  if (kept.__kimitsuMetrics) return kept.__kimitsuMetrics;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "kimitsu_" });
  const requestSeconds = new Histogram({
    name: "kimitsu_http_request_duration_seconds",
    help: "Time from request to answer, by API operation.",
    labelNames: ["operation", "method", "status"] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return (kept.__kimitsuMetrics = { registry, requestSeconds });
}
