/**
 * The only path from a provider's SDK to the network. It reads whole answers up to a limit, so that a truncated, an
 * invalid and an endless one are distinguished here, and it never follows a redirect: keys are sent only to the address
 * they are meant for.
 */
import { KimitsuError } from "@/lib/errors";
import { listHeaderSecrets, type SentRequest } from "./clean-error-text";
import { ANSWER_SIZE_BYTES_MAX, ERROR_SIZE_BYTES_MAX } from "./limits";
import { ModelError } from "./model";
import { describeFailure, findHiddenFailure } from "./provider-error";

/** `fetch`, or the guard of outgoing requests. */
export type Fetch = (url: string | URL, init?: RequestInit & { holdsSecret?: boolean }) => Promise<Response>;

export interface TransportOptions {
  /** Named in errors. */
  model: string;
  fetch: Fetch;
  now: () => Date;
}

/** A `fetch` that returns successful answers only, and throws ModelError (or what aborted it) for everything else. */
export function createTransport({ model, fetch, now }: TransportOptions): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : input;
    const sent: SentRequest = {
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? init.body : "",
    };
    const signal = init.signal ?? undefined;
    const response = await guard(model, signal, () =>
      fetch(url, { ...init, redirect: "manual", holdsSecret: listHeaderSecrets(sent.headers).length > 0 }),
    );
    const { status, headers } = response;
    const limit = response.ok ? ANSWER_SIZE_BYTES_MAX : ERROR_SIZE_BYTES_MAX;
    const { text, isCut } = await guard(model, signal, () => readText(response, limit));
    if (!response.ok) throw describeFailure({ model, status, headers, body: text, sent, now: now() });
    if (isCut)
      throw new ModelError(
        { kind: "too_large", model },
        `${model} gave an answer of more than ${ANSWER_SIZE_BYTES_MAX / 1024 / 1024} MiB, which is not read.`,
      );
    const value = parseAnswer(model, text);
    const hidden = findHiddenFailure(value);
    if (hidden) throw describeFailure({ model, status: hidden.status, headers, body: text, sent, now: now() });
    return new Response(text, { status, headers: { "content-type": "application/json" } });
  };
}

async function guard<T>(model: string, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const refusal = findRefusal(error);
    if (refusal) throw new ModelError({ kind: "misconfigured", model }, `${model} cannot be asked: ${refusal.message}`);
    // The original error is dropped: it may hold the address, and an address may hold a key.
    throw new ModelError({ kind: "unreachable", model }, `${model} cannot be reached: ${describeNetworkError(error)}.`);
  }
}

/** The guard of outgoing connections refuses with our own error, which fetch may wrap. */
function findRefusal(error: unknown): KimitsuError | null {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++) {
    if (current instanceof KimitsuError) return current;
  }
  return null;
}

const NETWORK_CODES: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before the whole answer had arrived",
  UND_ERR_SOCKET: "the connection was closed before the whole answer had arrived",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  UND_ERR_CONNECT_TIMEOUT: "the connection took too long",
  UND_ERR_HEADERS_TIMEOUT: "the answer took too long",
  UND_ERR_BODY_TIMEOUT: "the answer took too long",
};

function describeNetworkError(error: unknown): string {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth++) {
    const code = "code" in current && typeof current.code === "string" ? current.code : "";
    if (/^[A-Z][A-Z0-9_]+$/.test(code)) return NETWORK_CODES[code] ? `${NETWORK_CODES[code]} (${code})` : code;
  }
  return "the connection failed before a whole answer had arrived";
}

/** The text up to the limit, and whether there was more of it. */
async function readText(response: Response, limit: number): Promise<{ text: string; isCut: boolean }> {
  if (response.body === null) return { text: "", isCut: false };
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    size += read.value.byteLength;
    if (size <= limit) continue;
    await reader.cancel();
    return { text: Buffer.concat(chunks).subarray(0, limit).toString("utf8"), isCut: true };
  }
  return { text: Buffer.concat(chunks).toString("utf8"), isCut: false };
}

function parseAnswer(model: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelError({ kind: "malformed", model }, `${model} gave an answer that is not JSON.`);
  }
}
