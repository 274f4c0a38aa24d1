import { env } from "@/lib/env";
import { switchTracing } from "./span";

export interface RunningTracing {
  /** Sends what is left. A collector that does not answer is waited for no longer than its timeout. */
  stop(): Promise<void>;
}

/**
 * Traces go where OTEL_EXPORTER_OTLP_ENDPOINT says. Without it nothing is loaded, and what would be a span costs one
 * look at a variable.
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
