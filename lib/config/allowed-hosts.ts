/** The hosts that a deployment trusts: `host` or `host:port`, as in KIMITSU_ALLOW_HOSTS. */

interface Target {
  hostname: string;
  port?: string | undefined;
  protocol: string;
}

export type AllowedHosts = (target: Target) => boolean;

export function toAllowedHosts(allowHosts: readonly string[]): AllowedHosts {
  // IPv6 addresses are written with brackets or without; both mean the same here.
  const allowed = new Set(allowHosts.map((host) => host.toLowerCase().replace(/^\[(.*)\]/, "$1")));
  return ({ hostname, port, protocol }) => {
    const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
    return allowed.has(host) || allowed.has(`${host}:${port || (protocol === "https:" ? "443" : "80")}`);
  };
}

/**
 * Traffic to this machine cannot be read by others; whether it may be reached at all is decided by the code that
 * connects.
 */
const ON_THIS_MACHINE = /^(?:(?:.*\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Why a secret may not be sent to the address; null when it may. Plain http can be read on the network, so only hosts
 * that the deployment allows may get a secret over it.
 */
export function refusePlainHttp(url: URL, isAllowed: AllowedHosts): string | null {
  if (url.protocol !== "http:" || ON_THIS_MACHINE.test(url.hostname) || isAllowed(url)) return null;
  return `a secret would travel to ${url.host} over plain http, where everyone on the way can read it`;
}
