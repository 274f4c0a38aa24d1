/**
 * Applies a stricter rule to a waiting approval than the one it was asked under. Does nothing when it no longer waits.
 */
import { listAllowed } from "@/lib/approvals/transitions/eligible-sql";
import type { EngineDeps } from "@/lib/database/deps";
import type { StricterRule } from "@/lib/policy/approval-rule";
import { approvalOf } from "@/lib/runs/changes/move";
import { changeRun } from "@/lib/runs/journal/change-run";
import { getOpenRun } from "@/lib/runs/journal/open-run";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export type Tightening = Pick<StricterRule, "rule" | "approvers"> & { approvalId: string; runId: string };

/** Each try also looks up people who decided in between. */
const TRIES_MAX = 3;

export async function tightenApproval({ db, now }: EngineDeps, tightening: Tightening): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const first = await getOpenRun(db, tightening.runId);
    const { decisions } = approvalOf(first.snapshot, tightening.approvalId);
    const deciders = decisions.map(({ userId }) => userId);
    const allowed = await listAllowed(db, deciders, tightening.approvers);
    const at = now();
    const build = ({ snapshot }: { snapshot: RunSnapshot }) =>
      buildTightening(snapshot, tightening, { deciders, allowed, at });
    const { kind } = await changeRun(db, tightening.runId, { build, at, first });
    if (kind !== "nothing") return;
  }
}

interface Looked {
  deciders: readonly string[];
  /** Those of `deciders` who may decide under the stricter rule. */
  allowed: ReadonlySet<string>;
  at: Date;
}

function buildTightening(
  snapshot: RunSnapshot,
  { approvalId, rule, approvers }: Tightening,
  { deciders, allowed, at }: Looked,
) {
  const { status, callId, decisions } = approvalOf(snapshot, approvalId);
  if (status !== "pending" || decisions.some(({ userId }) => !deciders.includes(userId))) return null;
  const { starterIds } = snapshot.run;
  const counts = (userId: string) => allowed.has(userId) && (rule.selfApproval || !starterIds.includes(userId));
  const approvals = decisions.filter(({ verdict, userId }) => verdict === "approved" && counts(userId)).length;
  return {
    changes: [
      { kind: "approval_tightened", at: at.toISOString(), approvalId, callId, rule, approvers, approvals } as const,
    ],
    queue: { kind: "stay" } as const,
    done: null,
  };
}
