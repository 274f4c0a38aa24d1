/**
 * Whoever has one IPv6 address has a whole network of them, so limits count networks of 64 bits; an IPv4 address counts
 * by itself.
 */
import ipaddr from "ipaddr.js";

/** The text itself when it is no address. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${groups.join(":")}::/64`;
}
