/**
 * The way out of this process for requests whose address comes from a project or a server: tool servers, webhooks and
 * model providers. The address that is checked is the one that is connected to, so a name that resolves differently the
 * second time gains nothing. Redirects are never followed: the server would choose the next address.
 */
import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { ReadableStream as WebStream } from "node:stream/web";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, buildConnector, type Dispatcher, request as sendRequest } from "undici";
import { type AllowedHosts, refusePlainHttp, toAllowedHosts } from "@/lib/config/allowed-hosts";
import { KimitsuError } from "@/lib/errors";
import { refuseAddress } from "./address-rules";

export interface EgressOptions {
  /** Hosts that may be reached although they are not public: `host` or `host:port`, as in KIMITSU_ALLOW_HOSTS. */
  allowHosts: readonly string[];
  /** How names are resolved; the system's resolver when absent. */
  lookup?: LookupFunction;
  connectTimeoutMs?: number;
}

export interface GuardedInit extends Omit<RequestInit, "redirect" | "signal"> {
  signal?: AbortSignal | null | undefined;
  /** Called right before the first byte of the request is written to the socket. Throwing here stops the request. */
  onSend?: (() => void) | undefined;
  /**
   * True: on a socket that was never used before. A server may close a used one while a request is being written to it,
   * and then it is unknown whether it was read. Costs a handshake.
   */
  isFreshSocket?: boolean | undefined;
  /**
   * True: the request contains a credential or another secret, so it is not sent over plain http unless the host is
   * allowed by name.
   */
  holdsSecret?: boolean | undefined;
}

export type GuardedFetch = (url: string | URL, init?: GuardedInit) => Promise<Response>;

export interface Egress {
  /** Like `fetch`, without redirects, cookies, proxies and retries. Redirect answers are returned as they are. */
  guardedFetch: GuardedFetch;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** The request was stopped by the rules, before anything was sent. Waiting does not help. */
export class EgressRefused extends KimitsuError {}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4_000;
const NO_BODY = new Set([101, 103, 204, 205, 304]);

export function createEgress(options: EgressOptions): Egress {
  // Callers set their own deadlines; a stream on which a server announces changes is silent for hours.
  const isAllowed = toAllowedHosts(options.allowHosts);
  const common = { connect: createGuardedConnector(options, isAllowed), headersTimeout: 0, bodyTimeout: 0 };
  const shared = new Agent({ ...common, keepAliveTimeout: KEEP_ALIVE_MS });
  const single = new Agent({ ...common, pipelining: 0 });
  return {
    guardedFetch: async (url, init = {}) => {
      const target = new URL(url);
      const reason = init.holdsSecret ? refusePlainHttp(target, isAllowed) : null;
      if (reason !== null)
        throw refused(
          `${reason}; use https://, or add ${target.host} to KIMITSU_ALLOW_HOSTS if the way there is your own`,
          target,
        );
      return send(init.isFreshSocket ? single : shared, target, init);
    },
    close: async () => void (await Promise.all([shared.destroy(), single.destroy()])),
  };
}

async function send(agent: Agent, url: URL, init: GuardedInit): Promise<Response> {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refused(`${url.protocol}// addresses are not requested; use https:// or http://`, url);
  if (url.username !== "" || url.password !== "")
    throw refused("an address must not carry a user name or password", url);
  // Besides plain text this reads forms and typed arrays, and sets their content type.
  const sent = init.body === undefined || init.body === null ? null : new Response(init.body);
  const headers = new Headers(init.headers);
  const contentType = sent?.headers.get("content-type");
  if (contentType && !headers.has("content-type")) headers.set("content-type", contentType);
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const answer = await sendRequest(url, {
    method: (init.method ?? "GET") as Dispatcher.HttpMethod,
    headers: Object.fromEntries(headers),
    body: sent ? new Uint8Array(await sent.arrayBuffer()) : null,
    signal: init.signal ?? undefined,
    dispatcher: init.onSend ? agent.compose(announceSending(init.onSend)) : agent,
  });
  return toResponse(answer, init.signal ?? undefined);
}

/**
 * `onRequestStart` is what the HTTP client calls when a socket is open and the request is about to be written to it.
 */
function announceSending(onSend: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context);
        try {
          onSend();
        } catch (error) {
          controller.abort(error as Error);
        }
      },
      onRequestUpgrade: handler.onRequestUpgrade?.bind(handler),
      onResponseStart: handler.onResponseStart?.bind(handler),
      onResponseData: handler.onResponseData?.bind(handler),
      onResponseEnd: handler.onResponseEnd?.bind(handler),
      onResponseError: handler.onResponseError?.bind(handler),
    });
}

function toResponse(answer: Dispatcher.ResponseData, signal: AbortSignal | undefined): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, each);
  }
  const { statusCode: status } = answer;
  hearErrors(answer.body);
  if (NO_BODY.has(status)) {
    answer.body.resume();
    return new Response(null, { status, headers });
  }
  const plain = hearErrors(decode(answer.body, headers.get("content-encoding"), signal));
  headers.delete("content-encoding");
  headers.delete("content-length");
  // Not `Readable.toWeb`: data that arrives after its reader has left throws where nobody can catch it, and ends the
  // process.
  return new Response(WebStream.from(plain) as unknown as ReadableStream<Uint8Array>, { status, headers });
}

/**
 * The reader of the answer gets the error of a broken connection. If nobody reads, or not yet, it must not end the
 * process.
 */
function hearErrors<Stream extends Readable>(stream: Stream): Stream {
  return stream.on("error", () => undefined);
}

/** Decompressed in chunks as it is read, so that a byte count counts the real ones. */
function decode(body: Readable, encoding: string | null, signal: AbortSignal | undefined): Readable {
  if (encoding === null || encoding === "identity") return body;
  const decoders = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  } as const;
  const create = decoders[encoding.trim().toLowerCase() as keyof typeof decoders];
  if (!create) {
    body.destroy();
    throw new KimitsuError(
      "tool_failed",
      `The server answers in the encoding ${JSON.stringify(encoding.slice(0, 40))}, which was not asked for and is not read.`,
    );
  }
  const decoder = create();
  body.once("error", (error) => decoder.destroy(error));
  decoder.once("close", () => body.destroy());
  signal?.addEventListener("abort", () => decoder.destroy(signal.reason as Error), { once: true });
  return body.pipe(decoder);
}

/**
 * Checks literal addresses at once and names when they are resolved; then checks the address that was really connected.
 */
function createGuardedConnector(
  { lookup = systemLookup as LookupFunction, connectTimeoutMs = CONNECT_TIMEOUT_MS }: EgressOptions,
  isAllowed: AllowedHosts,
): buildConnector.connector {
  const base = { timeout: connectTimeoutMs, allowH2: false };
  const unguarded = buildConnector({ ...base, lookup } as buildConnector.BuildOptions);
  const guarded = buildConnector({ ...base, lookup: guardLookup(lookup) } as buildConnector.BuildOptions);
  return (target, callback) => {
    const hostname = target.hostname.toLowerCase().replace(/^\[|\]$/g, "");
    if (isAllowed(target)) return unguarded(target, callback);
    // Resolvers differ in how they treat `localhost.`; it means this machine in any case (RFC 6761).
    const isLocal = /(^|\.)localhost\.?$/.test(hostname);
    const reason = isLocal ? "it means this machine" : isIP(hostname) === 0 ? null : refuseAddress(hostname);
    if (reason !== null) return callback(refusedHost(hostname, reason), null);
    return guarded(target, (error, socket) => {
      if (error) return callback(error, null);
      const dialled = socket.remoteAddress ?? "";
      const late = refuseAddress(dialled);
      if (late === null) return callback(null, socket);
      socket.destroy();
      callback(refusedHost(hostname, `${dialled} is ${late}`), null);
    });
  };
}

function guardLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "", 0);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      for (const { address } of addresses) {
        const reason = refuseAddress(address);
        // One bad address is enough to refuse the name: an attacker who mixes them relies on the good ones failing.
        if (reason !== null) return callback(refusedHost(hostname, `it resolves to ${address}, ${reason}`), "", 0);
      }
      const [first] = addresses;
      if (!first) return callback(Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" }), "", 0);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function refusedHost(host: string, reason: string): EgressRefused {
  return new EgressRefused(
    "forbidden",
    `${host} may not be reached: ${reason}. If it is meant, add ${host} to KIMITSU_ALLOW_HOSTS.`,
  );
}

function refused(message: string, url: URL): EgressRefused {
  return new EgressRefused("forbidden", `${url.protocol}//${url.host} was not requested: ${message}.`);
}
