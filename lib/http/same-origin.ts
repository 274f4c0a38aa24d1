import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

const READS = ["GET", "HEAD", "OPTIONS"];

/**
 * A browser sends the session cookie along with requests that any page causes; `Origin` and `Sec-Fetch-Site` say which
 * page did, and a page cannot forge them. A change authenticated by a cookie is accepted from our own pages only.
 */
export function requireSameOrigin(request: Request): void {
  if (READS.includes(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const fromHere = (site === null || site === "same-origin") && origin !== null && ownOrigins(request).includes(origin);
  if (!fromHere) {
    throw new KimitsuError(
      "forbidden",
      "A change with a session cookie is taken from Kimitsu's own pages only; programs use an API token.",
    );
  }
}

function ownOrigins(request: Request): string[] {
  const host = request.headers.get("host");
  const own = [env.AUTH_URL && new URL(env.AUTH_URL).origin, host && `http://${host}`, host && `https://${host}`];
  return own.filter((origin): origin is string => Boolean(origin));
}
