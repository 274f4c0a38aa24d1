import { showInvisible } from "@/lib/text/tool-text";
import { isId } from "@/lib/ids";
import type { Db } from "@/lib/database/client";
import type { CallRow, RunSnapshot, StepRow } from "@/lib/runs/snapshot";
import { describeStarter, findStarters } from "@/lib/runs/queries/starter-people";

const ITEMS_MAX = 30;
const NEXT_MAX = 8;
const PARAMS_LENGTH_MAX = 160;

export interface RunMoment {
  id: string;
  at: string;
  kind: "turn" | "call";
  title: string;
  detail: string;
  status: string;
}

/** What the column beside the card shows of the run that asks for approval. */
export interface RunSoFar {
  id: string;
  workflow: string;
  version: string;
  status: string;
  startedBy: string;
  startedByKind: string;
  startedAt: string;
  params: string;
  /** The newest moments, oldest first; `earlier` counts those left out. */
  moments: RunMoment[];
  earlier: number;
  /** Steps that have not begun. */
  next: string[];
  costUsd: number;
  costBudgetUsd: number | null;
  tokens: number;
  configHash: string;
}

/** A sub-agent's step is named after the call that started it, which means nothing to a person. */
const nameOf = ({ key, agent }: { key: string; agent: string | null }): string =>
  isId("call", key) ? (agent ?? key) : key;

export async function getRunSoFar(db: Db, snapshot: RunSnapshot): Promise<RunSoFar> {
  const { run } = snapshot;
  const starter = {
    startedByKind: run.startedBy.kind,
    startedByName: run.startedBy.name,
    startedByUserId: run.startedByUserId,
  };
  const person = (await findStarters(db, [starter]))(starter);
  const moments = [...momentsOfTurns(snapshot), ...[...snapshot.calls.values()].map(momentOfCall)].sort(compareMoments);
  const kept = moments.slice(-ITEMS_MAX);
  const { id, workflow, version, status, costUsd, costBudgetUsd, configHash } = run;
  return {
    id,
    workflow,
    version,
    status,
    costBudgetUsd,
    configHash,
    startedBy: describeStarter(starter, person),
    startedByKind: person === null ? starter.startedByKind : "user",
    startedAt: run.createdAt,
    params: shorten(showInvisible(JSON.stringify(run.params))),
    moments: kept,
    earlier: moments.length - kept.length,
    next: listNext(snapshot),
    costUsd: Number(costUsd.toFixed(6)),
    tokens: run.tokensIn + run.tokensOut,
  };
}

function listNext({ steps }: RunSnapshot): string[] {
  const isNext = ({ status, parentId }: StepRow) => status === "pending" && parentId === null;
  return [...steps.values()]
    .filter(isNext)
    .slice(0, NEXT_MAX)
    .map(({ key }) => key);
}

function momentsOfTurns({ turns, steps }: RunSnapshot): RunMoment[] {
  return [...turns.values()].flat().map(({ id, stepId, number, createdAt, tokensIn, tokensOut, costUsd }) => ({
    id,
    at: createdAt,
    kind: "turn",
    title: `${nameOf(steps.get(stepId) ?? { key: "", agent: null })}: model turn ${number}`,
    detail: `${tokensIn} in, ${tokensOut} out, $${costUsd.toFixed(4)}`,
    status: "done",
  }));
}

function momentOfCall(call: CallRow): RunMoment {
  const { id, createdAt, server, tool, status } = call;
  return { id, at: createdAt, kind: "call", title: `${server}.${tool}`, detail: describeCall(call), status };
}

/** A turn comes before the calls that it made. */
function compareMoments(one: RunMoment, other: RunMoment): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  if (one.kind !== other.kind) return one.kind === "turn" ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

const WORDS: Record<string, string> = {
  denied: "refused by the policy",
  pending_approval: "waits for a person",
  approved: "approved, not sent yet",
  rejected: "rejected by a person",
  expired: "nobody decided in time",
  cancelled: "withdrawn, never sent",
  executing: "running now",
  succeeded: "done",
  failed: "failed",
  outcome_unknown: "sent, outcome unknown",
};

function describeCall({ status, executingAt, completedAt, approval }: CallRow): string {
  const words = WORDS[status] ?? status;
  if (!executingAt || !completedAt) return words;
  const tookMs = Date.parse(completedAt) - Date.parse(executingAt);
  return `${words}${approval === null ? ", ran without asking" : ", after approval"}, ${tookMs} ms`;
}

/** Only the side column is shortened; the run's page shows everything. */
function shorten(text: string): string {
  return text.length <= PARAMS_LENGTH_MAX
    ? text
    : `${text.slice(0, PARAMS_LENGTH_MAX).toWellFormed()}… (${text.length} characters)`;
}
