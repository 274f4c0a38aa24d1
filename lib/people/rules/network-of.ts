/**
 * An IPv6 user usually has a whole network of addresses, so limits count /64 networks; an IPv4 address counts by
 * itself.
 */
import ipaddr from "ipaddr.js";

/** Returns the text itself when it is not an address. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(":")}::/64`;
}
