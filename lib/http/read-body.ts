import { BODY_SIZE_BYTES_MAX } from "@/lib/domain/limits";
import { KimitsuError } from "@/lib/errors";

/** Reads a JSON body, and stops reading at the limit whatever the client announced. No body at all counts as `{}`. */
export async function readJsonBody(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text.trim() === "") return {};
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new KimitsuError("invalid_request", `The body must be sent as application/json, not as ${type ?? "nothing"}.`);
  }
  try {
    return JSON.parse(text, refuseUnkeepable);
  } catch (error) {
    if (error instanceof KimitsuError) throw error;
    if (error instanceof RangeError) throw new KimitsuError("invalid_request", "The body is nested too deeply.");
    throw new KimitsuError("invalid_request", `The body is not JSON: ${(error as Error).message}`);
  }
}

/** Postgres keeps neither NUL nor half a surrogate pair, so text with one is refused here rather than failing there. */
function refuseUnkeepable(key: string, value: unknown): unknown {
  for (const text of [key, value]) {
    if (typeof text !== "string" || (!text.includes("\0") && text.isWellFormed())) continue;
    const message = "holds a NUL character or half a surrogate pair";
    throw new KimitsuError("invalid_request", `The body ${message}, in or near ${JSON.stringify(key)}.`, { issues: [{ path: `body.${key}`, message }] });
  }
  return value;
}

async function readText(request: Request): Promise<string> {
  if (!request.body) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > BODY_SIZE_BYTES_MAX) throw new KimitsuError("too_large", `The body is larger than ${BODY_SIZE_BYTES_MAX} bytes.`);
    pieces.push(piece);
  }
  return new TextDecoder("utf-8").decode(Buffer.concat(pieces));
}
