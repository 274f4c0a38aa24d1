/** The OpenTelemetry SDK, set up by hand: loaded only where a collector is named. */
import { hostname } from "node:os";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { log } from "@/lib/log";
import { sampler } from "./sampler";
import { scrubSpan } from "./scrub-span";
import { tracing } from "./span";

/** At the end of the process: after longer, whatever stops the process would assume that it hangs. */
const CLOSE_MS_MAX = 2_000;

export function openTracing({ endpoint, serviceName }: { endpoint: string; serviceName: string }): {
  close(): Promise<void>;
} {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": serviceName,
      "service.instance.id": `${hostname()}:${process.pid}`,
    }),
    idGenerator: createIds(),
    sampler,
    spanProcessors: [new BatchSpanProcessor({ exporter: scrubbing(exporter), scheduledDelayMillis: 1_000 })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    close: async () => {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, CLOSE_MS_MAX);
      await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}

/** Random, except for the one span of each run whose ids follow from the run's. */
function createIds(): IdGenerator {
  const random = new RandomIdGenerator();
  return {
    generateTraceId: () => tracing()?.nextIds?.traceId ?? random.generateTraceId(),
    generateSpanId: () => tracing()?.nextIds?.spanId ?? random.generateSpanId(),
  };
}

/** An unreachable collector is logged once, not once per batch; the spans it missed are lost, and runs continue. */
function scrubbing(exporter: SpanExporter): SpanExporter {
  let isFailing = false;
  return {
    export: (spans: ReadableSpan[], done) => {
      spans.forEach(scrubSpan);
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isFailing)
          log.warn({ reason: result.error?.message }, "traces could not be sent; it is tried again with the next ones");
        if (!failed && isFailing) log.info("traces are sent again");
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
