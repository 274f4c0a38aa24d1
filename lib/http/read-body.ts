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
    return JSON.parse(text);
  } catch (error) {
    throw new KimitsuError("invalid_request", `The body is not JSON: ${(error as Error).message}`);
  }
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
