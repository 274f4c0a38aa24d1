/**
 * Sends one request of an agent, through the egress guard and the host rules of the project. Each redirect is judged like
 * a new request, and what the call gave as headers stays with the origin that it was given for.
 */
import { toAllowedHosts } from "@/lib/config/allowed-hosts";
import { KimitsuError } from "@/lib/errors";
import { refuse } from "@/lib/tools/builtin/builtin-tool";
import { HEADERS_LENGTH_MAX, HEADERS_MAX, REDIRECTS_MAX } from "@/lib/tools/builtin/limits";
import type { GuardedFetch } from "@/lib/tools/egress";

export interface RequestRules {
  allowed_hosts: readonly string[];
  refused_hosts: readonly string[];
  max_response_bytes: number;
  timeout_seconds: number;
}

export interface HttpDeployment {
  /** Hosts that are not public and that the deployment allows: KIMITSU_ALLOW_HOSTS. */
  innerHosts: readonly string[];
}

export interface Sender {
  fetch: GuardedFetch;
  rules: RequestRules;
  deployment: HttpDeployment;
}

export interface Sent {
  /** Where the answer came from, after redirects. */
  url: string;
  status: number;
  headers: Headers;
  bytes: Buffer;
  truncated: boolean;
}

interface Asked {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  signal: AbortSignal;
}

/** They belong to the connection, which is ours. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding)$/i;

export async function sendRequest(sender: Sender, asked: Asked): Promise<Sent> {
  const timeout = AbortSignal.timeout(sender.rules.timeout_seconds * 1_000);
  const signal = AbortSignal.any([asked.signal, timeout]);
  try {
    return await follow(sender, { ...asked, signal });
  } catch (error) {
    if (timeout.aborted) refuse(`There was no whole answer within ${sender.rules.timeout_seconds} seconds.`);
    throw plainError(error);
  }
}

async function follow(sender: Sender, { method, url, headers, body, signal }: Asked): Promise<Sent> {
  let target = readUrl(url);
  let sent = readHeaders(headers);
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    judgeHost(target, sender);
    const response = await sender.fetch(target, {
      method,
      headers: sent,
      body,
      signal,
      isFreshSocket: method !== "GET",
    });
    const next = method === "GET" ? redirectOf(response, target) : null;
    if (!next) return readAnswer(response, target, sender.rules.max_response_bytes);
    await response.body?.cancel();
    if (target.protocol === "https:" && next.protocol === "http:")
      refuse(`${target.host} sends on to plain http, which anybody on the way can change. Nothing more was requested.`);
    // What the call gave may be a credential for the first origin.
    if (next.origin !== target.origin) sent = new Headers();
    target = next;
  }
  return refuse(`There were more than ${REDIRECTS_MAX} redirects.`);
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    return refuse("The address must begin with https:// or http:// and name a host.");
  if (url.username !== "" || url.password !== "") refuse("An address must not carry a user name or password.");
  return url;
}

function readHeaders(given: Readonly<Record<string, string>>): Headers {
  const entries = Object.entries(given);
  const length = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (entries.length > HEADERS_MAX || length > HEADERS_LENGTH_MAX)
    refuse(`At most ${HEADERS_MAX} headers with ${HEADERS_LENGTH_MAX} characters are sent.`);
  const own = entries.find(([name]) => OWN_HEADERS.test(name.trim()));
  if (own) refuse(`The header ${JSON.stringify(own[0])} belongs to the connection and cannot be given.`);
  try {
    return new Headers(given);
  } catch {
    return refuse("A header has a character that headers cannot have, such as a line break.");
  }
}

/** The guard judges addresses; this judges names. A host of the inner network must be named by the project, too. */
function judgeHost(url: URL, { rules, deployment }: Sender): void {
  const isListed = (list: readonly string[]) => list.some((pattern) => matchesHost(pattern, url));
  if (isListed(rules.refused_hosts)) refuse(`${url.host} may not be asked: it is among the refused_hosts.`);
  if (rules.allowed_hosts.length > 0 && !isListed(rules.allowed_hosts))
    refuse(`${url.host} may not be asked: it is not among the allowed_hosts.`);
  if (rules.allowed_hosts.length === 0 && toAllowedHosts(deployment.innerHosts)(url))
    refuse(`${url.host} is part of the inner network; a project that means it names it in allowed_hosts.`);
}

function matchesHost(pattern: string, url: URL): boolean {
  const [, wild, host, port] = /^(\*\.)?(\[.*\]|[^:]*)(?::(\d+))?$/.exec(pattern) ?? [];
  const actual = url.hostname.toLowerCase().replace(/\.$/, "");
  const actualPort = url.port || (url.protocol === "https:" ? "443" : "80");
  if (port !== undefined && port !== actualPort) return false;
  return wild ? actual.endsWith(`.${host}`) : actual === host;
}

function redirectOf({ status, headers }: Response, from: URL): URL | null {
  const location = headers.get("location");
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  const next = URL.parse(location, from);
  return next ? readUrl(next.href) : null;
}

/** Reads no more than it may give back. */
async function readAnswer(response: Response, url: URL, bytesMax: number): Promise<Sent> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, bytesMax);
  return { url: url.href, status: response.status, headers: response.headers, bytes, truncated: length > bytesMax };
}

function plainError(error: unknown): unknown {
  if (error instanceof KimitsuError) return error;
  for (let each = error as { code?: unknown; cause?: unknown } | undefined; each; each = each.cause as typeof each) {
    if (each instanceof KimitsuError) return each;
    if (typeof each.code === "string")
      return new KimitsuError("tool_failed", `The request failed (${each.code}).`, { cause: error });
  }
  return error;
}
