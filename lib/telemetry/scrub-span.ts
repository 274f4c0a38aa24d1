/**
 * Removes from a span what other code put there and what may be confidential: queries of addresses, and messages of
 * errors.
 */
import type { Attributes } from "@opentelemetry/api";

interface Scrubbed {
  name: string;
  readonly attributes: Attributes;
  readonly events: { readonly name: string; attributes?: Attributes }[];
  readonly status: { message?: string };
}

/**
 * Next.js writes spans of its own for requests. An address's query may be a code of a sign-in; an error's text may
 * quote anything.
 */
export function scrubSpan(span: Scrubbed): void {
  for (const [name, value] of Object.entries(span.attributes)) {
    if (typeof value === "string" && isAddress(name)) span.attributes[name] = withoutQuery(value);
    if (name === "url.query") delete span.attributes[name];
  }
  if (span.name.includes("?")) span.name = withoutQuery(span.name);
  delete span.status.message;
  for (const event of span.events) {
    if (event.name !== "exception" || !event.attributes) continue;
    delete event.attributes["exception.message"];
    delete event.attributes["exception.stacktrace"];
  }
}

const isAddress = (name: string): boolean =>
  /^(http\.(url|target)|url\.(full|path)|next\.(span_name|route))$/.test(name);
const withoutQuery = (text: string): string => text.split(/[?#]/, 1)[0] ?? "";
