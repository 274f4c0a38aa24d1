/**
 * What the application may believe about a client. `x-kimitsu-address` is ours alone; the forwarding headers count only
 * when a proxy in front is known to set them, because anyone may send them.
 */
import { randomUUID } from "node:crypto";

const FORWARDING = /^(x-forwarded-.*|forwarded|x-real-ip)$/;
/**
 * Next asks the server itself for the page that an action leads to, with the headers of the action's request and
 * forwarding headers of its own.
 */
const OWN_HEADER = "x-kimitsu-own";
const OWN = randomUUID();

export function trustHeaders(request, trustProxy) {
  const forwardedFor = request.headers["x-forwarded-for"];
  delete request.headers["x-kimitsu-address"];
  const ignored = trustProxy ? [] : Object.keys(request.headers).filter((name) => FORWARDING.test(name));
  if (ignored.length > 0 && request.headers[OWN_HEADER] !== OWN) warnOnce(ignored);
  for (const name of ignored) delete request.headers[name];
  // The proxy appends the address it saw; everything to the left of that is what the client claimed.
  const seenByProxy = trustProxy ? forwardedFor?.split(",").at(-1)?.trim() : undefined;
  request.headers[OWN_HEADER] = OWN;
  request.headers["x-kimitsu-address"] = plainAddress(seenByProxy || request.socket.remoteAddress || "unknown");
}

/** An IPv4 client has one spelling, whichever socket it came in by. */
const plainAddress = (address) => address.replace(/^::ffff:(?=\d+\.)/i, "");

let isWarned = false;

/** Once in the life of a process: whoever can reach it can send these headers as often as they like. */
function warnOnce(names) {
  if (isWarned) return;
  isWarned = true;
  const message =
    `A request came with ${names.join(", ")}, which is ignored because KIMITSU_TRUST_PROXY is not set. If a proxy of yours stands in front and sets it, set KIMITSU_TRUST_PROXY=1: ` +
    "until then everyone seems to come from the proxy's address, so that limits of sign-ins hold for all together and the trail names that address, and https is not recognised. " +
    "If no proxy stands in front, a client sent it, and nothing is to be done.";
  const warn = globalThis.__kimitsuWarn ?? console.warn;
  warn(message);
}
