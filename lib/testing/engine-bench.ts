import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Role } from "@/lib/people/rules/roles";
import { advanceRun, type AdvanceOutcome } from "@/lib/runs/advance-run";
import { decideApproval, type DecidedBy, type DecisionCommand } from "@/lib/approvals/decide-approval";
import type { Runtime } from "@/lib/runs/runtime";
import { startRun } from "@/lib/runs/start-run";
import { type ApprovalInRun, type ApprovalView, listPendingOfRun } from "@/lib/approvals/queries/get-approval";
import { buildUser } from "@/lib/testing/builders";
import type { TestDatabase } from "@/lib/testing/database";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { claimAsWorker, oneAgentProject, openRunBench, type RunBench, TEST_ACTOR } from "@/lib/testing/run-bench";

export interface BenchFacts {
  allowlist?: string;
  script: string;
  /** More fields of the agent's file. */
  agent?: string;
  workflow?: string;
  /** More fields of the server's file. */
  server?: string;
  /** More files, or replacements of those above; `URL` in them becomes the address of the recording server. */
  files?: Record<string, string>;
  env?: Record<string, string>;
  /** To open a project again as it is after an edit, on the same server. */
  on?: EngineBench;
}

export interface Driven {
  wake: () => Promise<void>;
  ended: Promise<AdvanceOutcome>;
}

export interface EngineBench extends RunBench {
  recorder: RecordingServer;
  /** A unique name, so that no other test of the file has seen it before. */
  serverName: string;
  start(params?: Record<string, unknown>): Promise<string>;
  /** Starts a run and advances it as far as it goes by itself. */
  launch(params?: Record<string, unknown>): Promise<string>;
  /** Advances it without waiting for the end; `wake` signals that something outside has changed. */
  drive(runId: string): Promise<Driven>;
  pending(runId: string): Promise<ApprovalInRun[]>;
  person(role?: Role, groups?: string[]): Promise<DecidedBy>;
  decide(
    approval: ApprovalView,
    verdict: DecisionCommand["verdict"],
    command?: Partial<DecisionCommand> & { by?: DecidedBy },
  ): Promise<string>;
  /** The run with all that belongs to it. */
  read(runId: string): Promise<Awaited<ReturnType<typeof readRun>>>;
}

/** A project of one agent on a recording server, and the people who decide; the test says when anything happens. */
export async function openEngineBench(database: TestDatabase, facts: BenchFacts): Promise<EngineBench> {
  const recorder = facts.on?.recorder ?? (await startRecordingServer({}));
  if (!facts.on) onTestFinished(() => recorder.close());
  const serverName = facts.on?.serverName ?? `rec-${randomBytes(4).toString("hex")}`;
  const project = {
    ...oneAgentProject({
      url: recorder.url,
      allowlist: facts.allowlist ?? '- "*"',
      script: facts.script,
      ...(facts.agent ? { agent: facts.agent } : {}),
      ...(facts.workflow ? { workflow: facts.workflow } : {}),
    }),
    "servers/recorder.server.yaml": `name: ${serverName}\nurl: "${recorder.url}"\n${facts.server ?? ""}`,
    ...Object.fromEntries(
      Object.entries(facts.files ?? {}).map(([file, text]) => [file, text.replaceAll("URL", recorder.url)]),
    ),
  };
  const bench = await openRunBench(database, project, facts.env);
  const { deps } = bench;
  const person = async (role: Role = "reviewer", groups: string[] = []): Promise<DecidedBy> => {
    const user = await buildUser(deps, role);
    return { userId: user.id, role, groups, actor: user.actor, tokenId: null };
  };
  const start = async (params: Record<string, unknown> = {}) =>
    (await startRun(deps, { workflow: "main", params, actor: TEST_ACTOR })).runId;
  return {
    ...bench,
    recorder,
    serverName,
    person,
    start,
    launch: async (params) => {
      const runId = await start(params);
      await bench.advance(runId);
      return runId;
    },
    drive: (runId) => drive(deps, runId),
    pending: (runId) => listPendingOfRun(deps.db, runId),
    decide: async (approval, verdict, { by, ...command } = {}) =>
      (
        await decideApproval(deps, by ?? (await person()), {
          approvalId: approval.id,
          verdict,
          digest: approval.digest,
          ...command,
        })
      ).status,
    read: (runId) => readRun(database, runId),
  };
}

async function drive(deps: Runtime, runId: string): Promise<Driven> {
  const claimed = await claimAsWorker(deps, runId);
  const ready = Promise.withResolvers<() => Promise<void>>();
  const ended = advanceRun(deps, claimed, { signal: new AbortController().signal, onReady: ready.resolve });
  ended.catch(ready.reject);
  return { wake: await ready.promise, ended };
}

async function readRun({ db }: TestDatabase, runId: string) {
  const { approvals, ...run } = await db.run.findUniqueOrThrow({
    where: { id: runId },
    include: {
      approvals: { include: { decisions: true }, orderBy: { id: "asc" } },
      calls: { orderBy: { id: "asc" } },
      turns: { orderBy: { id: "asc" } },
      steps: { orderBy: { id: "asc" } },
    },
  });
  const questionsOf = (callId: string) => approvals.filter((approval) => approval.callId === callId);
  return { ...run, calls: run.calls.map((call) => ({ ...call, approvals: questionsOf(call.id) })) };
}

export async function eventTypes({ db }: TestDatabase, runId: string): Promise<string[]> {
  return (await db.event.findMany({ where: { chainId: runId }, orderBy: [{ seq: "asc" }, { place: "asc" }] })).map(
    (event) => event.type,
  );
}

/**
 * Steps, calls and approvals that ended with their run, or are unknown because of it, without an event that says so.
 */
export async function listUnrecordedEnds(database: TestDatabase, runId: string): Promise<string[]> {
  const run = await readRun(database, runId);
  const events = await database.db.event.findMany({ where: { chainId: runId } });
  const recorded = events.map(({ type, data }) => ({ type, data: data as Record<string, unknown> }));
  const isRecorded = (type: string, field: string, id: string) =>
    recorded.some((event) => event.type === type && event.data[field] === id);
  const ends = [
    ...run.steps
      .filter(({ status }) => status === "cancelled")
      .map(({ id }) => ["step.cancelled", "step_id", id] as const),
    ...run.calls
      .filter(({ status }) => status === "cancelled" || status === "outcome_unknown")
      .map(({ id, status }) => [`call.${status}`, "call_id", id] as const),
    ...run.calls
      .flatMap(({ approvals }) => approvals)
      .filter(({ status }) => status === "cancelled")
      .map(({ id }) => ["approval.cancelled", "approval_id", id] as const),
  ];
  return ends.filter(([type, field, id]) => !isRecorded(type, field, id)).map(([type, , id]) => `${type} ${id}`);
}
