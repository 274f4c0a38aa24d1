/**
 * Which network addresses may be dialled. Everything that is not a public unicast address is refused, in every
 * spelling.
 */
import ipaddr from "ipaddr.js";

/** Public by number, yet answered inside a cloud: Azure's host agent, which hands out credentials. */
const CLOUD_INTERNAL = new Set(["168.63.129.16"]);

/**
 * All that was ever given out for public use. What lies outside is local, in disguise or for nobody yet, whatever a
 * list of ranges may know of it.
 */
const PUBLIC_V6 = ipaddr.parseCIDR("2000::/3");

/** Within it, for documents (RFC 9637). */
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

/** Why the address may not be dialled, or null when it is public. An address that cannot be read is refused. */
export function refuseAddress(address: string): string | null {
  // A zone such as `%eth0` says through which card a local address is reached; the address itself decides.
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
 * An interface id by which a router takes the packet to an IPv4 address of its own site (RFC 5214), under whatever
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
