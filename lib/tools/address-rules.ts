/**
 * Which network addresses may be connected to. Everything that is not a public unicast address is refused, in every
 * spelling.
 */
import ipaddr from "ipaddr.js";

/** Public by number, yet answered inside a cloud: Azure's host agent, which gives out credentials. */
const CLOUD_INTERNAL = new Set(["168.63.129.16"]);

/**
 * The only range ever assigned for public use. Everything outside is local, a disguised address or unassigned, even if
 * no list of ranges names it.
 */
const PUBLIC_V6 = ipaddr.parseCIDR("2000::/3");

/** Part of it, but reserved for documentation (RFC 9637). */
const DOCUMENTS_V6 = ipaddr.parseCIDR("3fff::/20");

const REASONS: Record<string, string> = {
  private: "a private address",
  loopback: "a loopback address",
  linkLocal: "a link-local address, where clouds keep their metadata",
  carrierGradeNat: "an address of a carrier's inner network",
  uniqueLocal: "a private address",
  unspecified: "the unspecified address, which means this machine",
  multicast: "a multicast address",
  broadcast: "a broadcast address",
};

/** Why the address may not be connected to, or null when it is public. An address that cannot be parsed is refused. */
export function refuseAddress(address: string): string | null {
  // A zone such as `%eth0` only names the network interface for a local address; the address itself decides.
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return "not an address";
  const parsed = ipaddr.parse(bare);
  if (parsed instanceof ipaddr.IPv4) return refuseV4(parsed);
  const embedded = embeddedV4(parsed);
  if (embedded !== null) return refuseV4(embedded);
  if (!parsed.match(PUBLIC_V6) || parsed.match(DOCUMENTS_V6) || isIsatap(parsed))
    return REASONS[parsed.range()] ?? "a reserved address";
  return explain(parsed.range());
}

function refuseV4(address: ipaddr.IPv4): string | null {
  return CLOUD_INTERNAL.has(address.toString()) ? "an address inside a cloud" : explain(address.range());
}

function explain(range: string): string | null {
  return range === "unicast" ? null : (REASONS[range] ?? "a reserved address");
}

/**
 * An interface id by which a router forwards the packet to an IPv4 address of its own site (RFC 5214), under any
 * prefix.
 */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , first = 0, second = 0] = address.parts;
  return (first & 0xfdff) === 0 && second === 0x5efe;
}

/** The IPv4 address that an IPv6 one leads to: mapped, translated (NAT64, SIIT), or 6to4. */
function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  switch (address.range()) {
    case "ipv4Mapped":
      return address.toIPv4Address();
    case "rfc6145":
    case "rfc6052":
      return new ipaddr.IPv4(bytes.slice(12));
    case "6to4":
      return new ipaddr.IPv4(bytes.slice(2, 6));
    default:
      return null;
  }
}
