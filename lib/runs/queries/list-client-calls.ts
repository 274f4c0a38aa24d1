/** What runs of MCP clients did. Each is one call, so that a list can say it in one line. */
import type { Db } from "@/lib/database/client";
import { openBehind } from "@/lib/runs/queries/open-behind";
import type { CallStatus } from "@/lib/runs/rules/call-state";
import { callsInOrder } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import { showInvisible } from "@/lib/text/tool-text";

export interface ClientCall {
  runId: string;
  server: string;
  tool: string;
  status: CallStatus;
  /** The sentence on its card. */
  summary: string;
}

/**
 * By run, each found by its key; a run whose call is not on record yet is left out. `behind` are runs that are not fully
 * projected, if the caller has them.
 */
export async function listClientCalls(
  db: Db,
  runIds: readonly string[],
  behind?: ReadonlyMap<string, RunSnapshot>,
): Promise<ReadonlyMap<string, ClientCall>> {
  if (runIds.length === 0) return new Map();
  const snapshots = behind ?? (await openBehind(db, runIds));
  const rows = await db.$queryRaw<ClientCall[]>`
    SELECT r.id AS "runId", c.server, c.tool, c.status, c.summary FROM unnest(${[...runIds]}::text[]) AS r(id)
    CROSS JOIN LATERAL (
      SELECT server, tool, status::text AS status, summary FROM calls WHERE run_id = r.id ORDER BY id LIMIT 1
    ) AS c`;
  const folded = runIds.flatMap((runId): ClientCall[] => {
    const snapshot = snapshots.get(runId);
    const call = snapshot && callsInOrder(snapshot)[0];
    return call ? [{ runId, server: call.server, tool: call.tool, status: call.status, summary: call.summary }] : [];
  });
  return new Map([...rows, ...folded].map((call) => [call.runId, { ...call, summary: showInvisible(call.summary) }]));
}
