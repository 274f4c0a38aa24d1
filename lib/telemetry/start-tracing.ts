import { env } from "@/lib/env";
import { switchTracing } from "./span";

export interface RunningTracing {
  /** Sends what is left. Waits for a collector that does not answer no longer than its timeout. */
  stop(): Promise<void>;
}

/**
 * Traces go where OTEL_EXPORTER_OTLP_ENDPOINT says. Without it nothing is loaded, and a span costs only the read of a
 * variable.
 */
export async function startTracing(): Promise<RunningTracing> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return { stop: async () => undefined };
  const { openTracing } = await import("./open-tracing");
  const opened = openTracing({ endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT, serviceName: env.OTEL_SERVICE_NAME });
  switchTracing(true);
  return {
    stop: async () => {
      switchTracing(false);
      await opened.close();
    },
  };
}
