/**
 * The names by which this deployment is reached, and so the only ones that a request may state: a page of a stranger
 * whose name was pointed at us (DNS rebinding) states its own. Pure.
 */
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

export interface OwnAddress {
  HOST: string;
  AUTH_URL?: string | undefined;
}

/** Host names without port. An address on which all interfaces listen is no name: then the machine is reached by any. */
export function ownHosts({ HOST, AUTH_URL }: OwnAddress): ReadonlySet<string> | null {
  const stated = AUTH_URL === undefined ? [] : [new URL(AUTH_URL).hostname];
  if (isEverywhere(HOST) && stated.length === 0) return null;
  const own = isEverywhere(HOST) ? [] : [HOST.includes(":") && !HOST.startsWith("[") ? `[${HOST}]` : HOST];
  return new Set([...LOCAL, ...own, ...stated].map((name) => name.toLowerCase()));
}

const isEverywhere = (host: string): boolean => ["0.0.0.0", "::", "[::]", "*"].includes(host);

/** The message of a refusal, or null. */
export function findForeignHost(
  hosts: ReadonlySet<string> | null,
  { host, origin }: { host: string | null; origin: string | null },
): string | null {
  const name = hostnameOf(`http://${host ?? ""}`);
  if (name === null || (hosts !== null && !hosts.has(name)))
    return `The host ${JSON.stringify(host)} is not this server's; set AUTH_URL to the address by which clients reach it.`;
  if (origin === null) return null;
  const page = hostnameOf(origin);
  const isOwn = page !== null && (hosts === null ? page === name : hosts.has(page));
  return isOwn ? null : `Pages of ${JSON.stringify(origin)} may not speak to this server.`;
}

function hostnameOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { hostname } = new URL(url);
  return hostname === "" ? null : hostname.toLowerCase();
}
