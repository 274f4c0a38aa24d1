import { showInvisible } from "@/lib/domain/tool-text";
import { isId } from "@/lib/ids";
import type { Db } from "@/lib/store/client";
import { describeStarter, findStarters } from "@/lib/store/queries/starter-people";

const ITEMS_MAX = 30;
const PARAMS_LENGTH_MAX = 160;

export interface RunMoment {
  id: string;
  at: string;
  kind: "turn" | "call";
  title: string;
  detail: string;
  status: string;
}

/** What the column beside the card shows of the run that asks. */
export interface RunSoFar {
  id: string;
  workflow: string;
  version: string;
  status: string;
  startedBy: string;
  startedByKind: string;
  startedAt: string;
  params: string;
  /** The newest, oldest first; `earlier` were left out. */
  moments: RunMoment[];
  earlier: number;
  /** Steps that have not begun. */
  next: string[];
  costUsd: number;
  costBudgetUsd: number | null;
  tokens: number;
  configHash: string;
}

/** A sub-agent's step is named for the call that began it, which says nothing to a person. */
const nameOf = ({ key, agent }: { key: string; agent: string | null }): string => (isId("call", key) ? (agent ?? key) : key);

export async function getRunSoFar(db: Db, runId: string): Promise<RunSoFar> {
  const [run, turns, calls, steps] = await Promise.all([
    db.run.findUniqueOrThrow({ where: { id: runId }, include: { _count: { select: { turns: true, calls: true } } } }),
    db.turn.findMany({ where: { runId }, orderBy: { id: "desc" }, take: ITEMS_MAX, select: { id: true, number: true, createdAt: true, tokensIn: true, tokensOut: true, costUsd: true, step: { select: { key: true, agent: true } } } }),
    db.call.findMany({ where: { runId }, orderBy: { id: "desc" }, take: ITEMS_MAX, select: { id: true, server: true, tool: true, status: true, createdAt: true, executingAt: true, completedAt: true, approvals: { select: { id: true }, take: 1 } } }),
    db.step.findMany({ where: { runId, status: "pending", parentId: null }, orderBy: { id: "asc" }, take: 8, select: { key: true } }),
  ]);
  const person = (await findStarters(db, [run]))(run);
  const moments = [
    ...turns.map((turn): RunMoment => ({ id: turn.id, at: turn.createdAt.toISOString(), kind: "turn", title: `${nameOf(turn.step)}: model turn ${turn.number}`, detail: `${turn.tokensIn} in, ${turn.tokensOut} out, $${turn.costUsd.toFixed(4)}`, status: "done" })),
    ...calls.map((call): RunMoment => ({ id: call.id, at: call.createdAt.toISOString(), kind: "call", title: `${call.server}.${call.tool}`, detail: describeCall(call), status: call.status })),
  ].sort((one, other) => (one.at === other.at ? (one.kind === other.kind ? (one.id < other.id ? -1 : 1) : one.kind === "turn" ? -1 : 1) : one.at < other.at ? -1 : 1));
  const kept = moments.slice(-ITEMS_MAX);
  return {
    id: run.id,
    workflow: run.workflow,
    version: run.version,
    status: run.status,
    startedBy: describeStarter(run, person),
    startedByKind: person === null ? run.startedByKind : "user",
    startedAt: run.createdAt.toISOString(),
    params: shorten(showInvisible(JSON.stringify(run.params))),
    moments: kept,
    earlier: run._count.turns + run._count.calls - kept.length,
    next: steps.map((step) => step.key),
    costUsd: run.costUsd.toNumber(),
    costBudgetUsd: run.costBudgetUsd?.toNumber() ?? null,
    tokens: run.tokensIn + run.tokensOut,
    configHash: run.configHash,
  };
}

const WORDS: Record<string, string> = {
  requested: "not judged yet", denied: "refused by the policy", pending_approval: "waits for a person", approved: "approved, not sent yet", rejected: "rejected by a person",
  expired: "nobody decided in time", cancelled: "withdrawn, never sent", executing: "running now", succeeded: "done", failed: "failed", outcome_unknown: "sent, outcome unknown",
};

function describeCall(call: { status: string; executingAt: Date | null; completedAt: Date | null; approvals: unknown[] }): string {
  const words = WORDS[call.status] ?? call.status;
  if (!call.executingAt || !call.completedAt) return words;
  const tookMs = call.completedAt.getTime() - call.executingAt.getTime();
  return `${words}${call.approvals.length === 0 ? ", ran without asking" : ", after approval"}, ${tookMs} ms`;
}

/** Only the side column is shortened; the run's page has the whole. */
function shorten(text: string): string {
  return text.length <= PARAMS_LENGTH_MAX ? text : `${text.slice(0, PARAMS_LENGTH_MAX).toWellFormed()}… (${text.length} characters)`;
}
