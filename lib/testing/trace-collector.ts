/** A collector of traces on this machine, as an operator would run one: OTLP over HTTP, in JSON. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: OtlpValue[] };
}
type OtlpAttributes = { key: string; value: OtlpValue }[];

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttributes;
  links?: { traceId: string; spanId: string }[];
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

export interface CollectedSpan extends Omit<OtlpSpan, "attributes" | "links"> {
  /** Which process sent it. */
  instance: unknown;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
}

export interface TraceCollector {
  endpoint: string;
  spans(): CollectedSpan[];
  /** Everything that arrived, as it arrived. */
  text(): string;
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        if (request.url !== "/v1/traces" || request.headers["content-type"] !== "application/json")
          return void response.writeHead(404).end();
        bodies.push(Buffer.concat(chunks).toString());
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.join("\n"),
    spans: () => bodies.flatMap((body) => readSpans(JSON.parse(body) as OtlpRequest)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readSpans({ resourceSpans }: OtlpRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const instance = toRecord(resource.attributes)["service.instance.id"];
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, instance, attributes: toRecord(span.attributes), links: span.links ?? [] })),
    );
  });
}

const toRecord = (attributes: OtlpAttributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

function plain(value: OtlpValue): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}
