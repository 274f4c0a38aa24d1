/** The section of docs/benchmarks.md about calls of MCP clients, ratios first. */
import { format, ratio, table } from "./report.mjs";

const TITLES = {
  direct: "directly, without anything between",
  kimitsu: "through Kimitsu: judged, pinned, sealed, on record before it leaves",
  hub: "through mcp-hub 4.2.1, which keeps no record",
};

export function describeProxy({ rounds, held }) {
  const { direct, kimitsu, hub } = rounds;
  const rows = Object.entries(TITLES).map(([name, title]) => [
    title,
    `${format(rounds[name].p50, 1)} / ${format(rounds[name].p99, 1)}`,
    format(rounds[name].perSecond),
  ]);
  return `## Calls of MCP clients

A tool that the policy allows, called by the same client (the SDK's, with sessions), in turns; the tool server, the proxies and Postgres with durable commits share the
machine. Six passes: one at a time, and 16 at once with a client each.

Kimitsu adds ${format(kimitsu.p50 - direct.p50, 1)} ms to a direct call (p50), which is ${ratio(kimitsu.p50 / hub.p50)} the time through mcp-hub; at 16 at once it does ${ratio(kimitsu.perSecond / hub.perSecond)} the calls of mcp-hub.

${table(["", "p50 / p99 ms, one at a time", "calls/s, 16 at once"], rows)}

${format(held.count)} calls that wait for people, each with its request open: ${format(held.bytesEach / 1024)} KB of the web process each; an allowed call beside them is answered (in ${format(held.otherMs)} ms, with its handshake).`;
}
