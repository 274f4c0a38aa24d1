import { BODY_SIZE_BYTES_MAX } from "@/lib/limits";
import { KimitsuError } from "@/lib/errors";

/**
 * Reads a JSON body, and stops reading at the limit whatever length the client announced. No body at all counts as
 * `{}`.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text.trim() === "") return {};
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new KimitsuError(
      "invalid_request",
      `The body must be sent as application/json, not as ${type ?? "nothing"}.`,
    );
  }
  try {
    const value: unknown = JSON.parse(text, refuseUnkeepable as (key: string, value: unknown) => unknown);
    refuseTwoReadings(text);
    return value;
  } catch (error) {
    if (error instanceof KimitsuError) throw error;
    if (error instanceof RangeError) throw new KimitsuError("invalid_request", "The body is nested too deeply.");
    throw new KimitsuError("invalid_request", `The body is not JSON${describePlace(text, error as Error)}.`);
  }
}

/**
 * The position of the syntax error, without the text there: the original message would quote it, and it may be a
 * secret.
 */
function describePlace(text: string, { message }: Error): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return "";
  const before = text.slice(0, Number(position)).split("\n");
  return `: it breaks at line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

/** What could not be stored, sent or shown unchanged is refused here rather than silently changed. */
function refuseUnkeepable(key: string, value: unknown, { source }: { source?: string }): unknown {
  if (key === "__proto__") refuseAt(key, "has a key that programs read differently");
  // Postgres stores neither NUL nor half a surrogate pair.
  for (const text of [key, value])
    if (typeof text === "string" && (text.includes("\0") || !text.isWellFormed()))
      refuseAt(key, "holds a NUL character or half a surrogate pair");
  if (typeof value === "number" && source !== undefined && isChanged(value, source))
    refuseAt(key, "holds a number that loses digits; give it as text");
  return value;
}

/** A whole number beyond 2^53 may parse as its neighbour, and a huge one as Infinity. */
function isChanged(value: number, source: string): boolean {
  return !Number.isFinite(value) || (/^-?\d+$/.test(source) && BigInt(source) !== BigInt(value));
}

const STRUCTURE = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * Of two equal keys in one object some programs read the first and some the last: a proxy or a log would see another
 * request than we do.
 */
function refuseTwoReadings(text: string): void {
  const open: Set<string>[] = [];
  let before = "";
  for (const [token] of text.matchAll(STRUCTURE)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const key = JSON.parse(before) as string;
      if (open.at(-1)?.has(key)) refuseAt(key, "has the same key twice in one object");
      open.at(-1)?.add(key);
    }
    before = token;
  }
}

function refuseAt(key: string, message: string): never {
  throw new KimitsuError("invalid_request", `The body ${message}, in or near ${JSON.stringify(key)}.`, {
    issues: [{ path: `body.${key}`, message }],
  });
}

async function readText(request: Request): Promise<string> {
  if (!request.body) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > BODY_SIZE_BYTES_MAX)
      throw new KimitsuError("too_large", `The body is larger than ${BODY_SIZE_BYTES_MAX} bytes.`);
    pieces.push(piece);
  }
  return new TextDecoder("utf-8").decode(Buffer.concat(pieces));
}
