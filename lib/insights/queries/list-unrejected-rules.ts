import { formatSourceLocation } from "@/lib/config/source-location";
import { UNREJECTED_RULE_APPROVALS_MIN } from "@/lib/limits";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import type { Db } from "@/lib/database/client";
import type { Span } from "@/lib/insights/queries/span";

/** For the page, which says how often a rule must have asked. */
export const ASKED_MIN = UNREJECTED_RULE_APPROVALS_MIN;

export interface UnrejectedRule {
  /** File and line that asked last; null where no line did, as for a changed definition. */
  source: string | null;
  reason: string;
  agents: string[];
  tools: string[];
  approved: number;
}

interface Asked {
  agent: string;
  server: string;
  tool: string;
  approved: number;
  rejected: number;
  call_id: string;
}

/**
 * Rules whose every question in the span was approved, the most asked first. Questions are grouped by the line that
 * asked the newest of their kind, because lines move when a file is edited.
 */
export async function listUnrejectedRules(
  db: Db,
  { from, to, limit }: Span & { limit: number },
): Promise<UnrejectedRule[]> {
  const asked = await db.$queryRaw<Asked[]>`
    SELECT agent, server, tool, count(*) FILTER (WHERE status = 'approved')::int AS approved, count(*) FILTER (WHERE status = 'rejected')::int AS rejected, max(call_id) AS call_id
    FROM approvals WHERE decided_at >= ${from} AND decided_at < ${to} AND decided_at IS NOT NULL AND status IN ('approved', 'rejected')
    GROUP BY agent, server, tool, rule`;
  const calls = await db.call.findMany({
    where: { id: { in: asked.map((row) => row.call_id) } },
    select: { id: true, trace: true },
  });
  const askers = new Map(calls.map(({ id, trace }) => [id, findAsker(trace as unknown as TraceEntry[])]));
  return mergeByRule(asked, askers)
    .filter(({ rejected, approved }) => rejected === 0 && approved >= UNREJECTED_RULE_APPROVALS_MIN)
    .sort((one, other) => other.approved - one.approved)
    .slice(0, limit)
    .map(({ source, reason, agents, tools, approved }) => ({ source, reason, agents, tools, approved }));
}

/** The line that asked; a check on the tool itself asks without one. */
function findAsker(trace: readonly TraceEntry[]): TraceEntry | undefined {
  const asking = trace.filter(({ outcome }) => outcome === "ask");
  return asking.find(({ source }) => source !== undefined) ?? asking[0];
}

function mergeByRule(
  asked: readonly Asked[],
  askers: ReadonlyMap<string, TraceEntry | undefined>,
): (UnrejectedRule & { rejected: number })[] {
  const rules = new Map<string, UnrejectedRule & { rejected: number }>();
  for (const { agent, server, tool, approved, rejected, call_id: callId } of asked) {
    const asker = askers.get(callId);
    const source = asker?.source ? formatSourceLocation(asker.source) : null;
    // Without a line there is only the layer, which is the same for all tools, so the tool is part of the key.
    const key = source ?? `${asker?.layer ?? ""} ${server}.${tool}`;
    const rule = rules.get(key) ?? {
      source,
      reason: asker?.reason ?? "",
      agents: [],
      tools: [],
      approved: 0,
      rejected: 0,
    };
    rules.set(key, {
      ...rule,
      agents: withName(rule.agents, agent),
      tools: withName(rule.tools, `${server}.${tool}`),
      approved: rule.approved + approved,
      rejected: rule.rejected + rejected,
    });
  }
  return [...rules.values()];
}

const withName = (names: readonly string[], name: string): string[] => [...new Set([...names, name])].sort();
