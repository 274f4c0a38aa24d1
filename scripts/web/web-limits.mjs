/**
 * How many requests a web process works on at once: beyond that they are refused at once, so that those it has are
 * answered. Here, before Next.js, because a refusal must cost almost nothing, and pages and files count too.
 */
import { PlainError } from "../plain-error.mjs";
import { setting } from "../runtime.mjs";
import { isHeld } from "./web-mcp.mjs";
import { refuse } from "./web-refusal.mjs";

/** The same as in lib/env.ts, which a test compares. */
const REQUESTS_MAX = 500;
const RETRY_AFTER_S = 2;
/** Whoever watches the process must see it when it is busy most of all. */
const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

export function readRequestsMax() {
  const given = setting("KIMITSU_REQUESTS_MAX", String(REQUESTS_MAX));
  const max = Number(given);
  if (Number.isInteger(max) && max >= 1) return max;
  throw new PlainError(
    `KIMITSU_REQUESTS_MAX is "${given}"; give a whole number above 0, the requests that this process works on at once.`,
  );
}

export const isEventStream = (response) => String(response.getHeader("content-type")).startsWith("text/event-stream");

/**
 * Not a client that is still sending, or that reads slowly what is finished: those hold a connection, not the process.
 * Streams have a limit of their own, and so have requests of MCP clients that are held while a person decides.
 */
const isUnderWay = (response) =>
  response.req.complete && !response.writableEnded && !isEventStream(response) && !isHeld(response);

/**
 * Answers 503 and says true when `max` of the open responses are being worked on. `open` holds this one too, whose
 * request is not complete yet.
 */
export function refuseWhenBusy(request, response, { open, max }) {
  if (open.size <= max || PROBES.has(request.url.split("?", 1)[0])) return false;
  let underWay = 0;
  for (const other of open) if (other !== response && isUnderWay(other)) underWay += 1;
  if (underWay < max) return false;
  globalThis.__kimitsuRecordRefusal?.("requests");
  const message = `This process works on ${underWay} requests, which is the most it takes at once; this one was not looked at. Try again in ${RETRY_AFTER_S} s.`;
  refuse(request, response, { status: 503, code: "unavailable", message, headers: { "retry-after": RETRY_AFTER_S } });
  return true;
}
