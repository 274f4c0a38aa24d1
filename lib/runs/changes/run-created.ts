/** A run begins: what it is, who started it, and its first steps. A retry includes what completed before. */
import type { EventData } from "@/lib/audit/rules/audit-event";
import { digestOutput } from "@/lib/text/digest";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import type { RowEvent } from "@/lib/runs/changes/row-events";
import type { RunRow, RunSnapshot, StepRow } from "@/lib/runs/snapshot";

export type NewStep = Pick<StepRow, "id" | "key" | "type" | "agent"> &
  Partial<Pick<StepRow, "parentId" | "itemIndex" | "input">> & {
    /** From the run that this one retries: it is not done again. */
    kept?: Pick<StepRow, "status" | "output" | "degraded" | "state" | "startedAt" | "completedAt">;
  };

export interface RunCreated extends Change {
  kind: "run_created";
  run: FirstColumns;
  steps: NewStep[];
}

type FirstColumns = Pick<RunRow, "id" | "workflow" | "version" | "configHash" | "params" | "agents" | "costBudgetUsd"> &
  Pick<RunRow, "startedBy" | "startedByUserId" | "starterIds" | "retryOfRunId" | "sessionId">;

export interface NewRun extends FirstColumns {
  steps: NewStep[];
  /**
   * The values of params marked secret, encrypted. They are only on the row, and are deleted when the run has ended.
   */
  secrets: Uint8Array<ArrayBuffer> | null;
}

export function createRun(newRun: NewRun, at: string): RunCreated {
  const { id, workflow, version, configHash, startedBy, startedByUserId, starterIds, retryOfRunId, sessionId } = newRun;
  const { params, agents, costBudgetUsd, steps } = newRun;
  // Listed one by one: other properties of a caller's object must not be sealed.
  const started = { startedBy, startedByUserId, starterIds, retryOfRunId, sessionId };
  const run = { id, workflow, version, configHash, ...started, params, agents, costBudgetUsd };
  return { kind: "run_created", at, run, steps };
}

export const runCreated: ChangeKind<RunCreated> = {
  kind: "run_created",
  events: ({ run }) => [{ type: "run.created", actor: run.startedBy, data: createdData(run) }],
  apply(snapshot, { run, steps, at }) {
    Object.assign(snapshot.run, run, { createdAt: at, updatedAt: at });
    for (const step of steps) addStep(snapshot, step);
  },
  keep: ({ run, ...change }, { id }, [event]) => ({ ...change, run: leaveOut(run, told(id, event)) }),
  open: ({ run, ...kept }: RunCreated, { id }, events) => ({
    ...kept,
    run: { ...told(id, events.take("run.created")), ...run },
  }),
};

/** What its event says of it. */
const told = (id: string, event: RowEvent | null | undefined): Partial<FirstColumns> => ({
  id,
  sessionId: null,
  params: {},
  costBudgetUsd: null,
  ...(event && {
    workflow: event.data.workflow as string,
    version: event.data.version as string,
    configHash: event.data.config_hash as string,
    startedBy: event.actor,
    startedByUserId: event.data.started_by_user_id as string | null,
    starterIds: event.data.starters as string[],
    retryOfRunId: event.data.retry_of as string | null,
  }),
});

export function createdData(run: RunCreated["run"]): EventData {
  const { workflow, version, configHash, retryOfRunId, sessionId, startedByUserId, starterIds, params } = run;
  return {
    workflow,
    version,
    config_hash: configHash,
    retry_of: retryOfRunId,
    ...(sessionId !== null && { session_id: sessionId }),
    started_by_user_id: startedByUserId,
    starters: starterIds,
    params: digestOutput(params),
  };
}

export function addStep(snapshot: RunSnapshot, { kept, ...step }: NewStep): void {
  snapshot.steps.set(step.id, { ...EMPTY_STEP, state: {}, ...step, ...kept });
}

const EMPTY_STEP = {
  status: "pending",
  parentId: null,
  itemIndex: null,
  input: null,
  output: null,
  rawOutput: null,
  error: null,
  degraded: false,
  tokensIn: 0,
  tokensOut: 0,
  costUsd: 0,
  llmCalls: 0,
  toolCalls: 0,
  startedAt: null,
  completedAt: null,
} as const;

export function emptySnapshot(runId: string): RunSnapshot {
  return {
    run: { ...EMPTY_RUN, id: runId, unreachable: [] },
    steps: new Map(),
    turns: new Map(),
    calls: new Map(),
    approvals: new Map(),
  };
}

const EMPTY_RUN: Omit<RunRow, "id" | "unreachable"> = {
  workflow: "",
  version: "",
  configHash: "",
  startedBy: { kind: "system", id: "", name: "" },
  startedByUserId: null,
  starterIds: [],
  retryOfRunId: null,
  sessionId: null,
  params: {},
  agents: [],
  costBudgetUsd: null,
  createdAt: "",
  status: "pending",
  error: null,
  output: null,
  tokensIn: 0,
  tokensOut: 0,
  llmCalls: 0,
  toolCalls: 0,
  costUsd: 0,
  activeMs: 0,
  commitsLostAt: null,
  updatedAt: "",
  completedAt: null,
  isClaimAnnounced: false,
};
