/** Which network addresses may be dialled. Everything that is not a public unicast address is refused, in every spelling. */
import ipaddr from "ipaddr.js";

/** Public by number, yet answered inside a cloud: Azure's host agent, which hands out credentials. */
const CLOUD_INTERNAL = new Set(["168.63.129.16"]);

/** NAT64 for local use (RFC 8215) leads to whatever the local network says, and IPv4-compatible addresses (RFC 4291) are IPv4 in disguise. */
const REFUSED_V6 = [ipaddr.parseCIDR("64:ff9b:1::/48"), ipaddr.parseCIDR("::/96"), ipaddr.parseCIDR("fec0::/10")];

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
  if (REFUSED_V6.some(([network, bits]) => parsed.match(network, bits))) return "a reserved address";
  return explain(parsed.range());
}

function refuseV4(address: ipaddr.IPv4): string | null {
  return CLOUD_INTERNAL.has(address.toString()) ? "an address inside a cloud" : explain(address.range());
}

function explain(range: string): string | null {
  return range === "unicast" ? null : (REASONS[range] ?? "a reserved address");
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
