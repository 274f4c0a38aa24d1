/**
 * What the application may believe about a client. `x-kimitsu-address` is ours alone; the forwarding headers count only when a proxy
 * in front is known to set them, because anyone may send them.
 */
const FORWARDING = /^(x-forwarded-.*|forwarded|x-real-ip)$/;

export function trustHeaders(request, trustProxy) {
  const forwardedFor = request.headers["x-forwarded-for"];
  delete request.headers["x-kimitsu-address"];
  if (!trustProxy) for (const name of Object.keys(request.headers)) if (FORWARDING.test(name)) delete request.headers[name];
  // The proxy appends the address it saw; everything to the left of that is what the client claimed.
  const seenByProxy = trustProxy ? forwardedFor?.split(",").at(-1)?.trim() : undefined;
  request.headers["x-kimitsu-address"] = plainAddress(seenByProxy || request.socket.remoteAddress || "unknown");
}

/** An IPv4 client has one spelling, whichever socket it came in by. */
const plainAddress = (address) => address.replace(/^::ffff:(?=\d+\.)/i, "");
