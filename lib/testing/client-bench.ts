/** A project with a profile on a recording server, a worker in this process, and clients with tokens and sessions. */
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { listPendingOfRun } from "@/lib/approvals/queries/get-approval";
import { decideApproval, type DecidedBy, type DecisionCommand } from "@/lib/approvals/decide-approval";
import { openWakeChannel } from "@/lib/database/wake-channel";
import { createId } from "@/lib/ids";
import type { ClientCaller } from "@/lib/proxy/client-calls";
import { createClientCalls } from "@/lib/runs/client-calls/create-client-calls";
import type { Runtime } from "@/lib/runs/runtime";
import { startRunLoop } from "@/lib/runs/worker/run-loop";
import { buildUser } from "@/lib/testing/builders";
import type { TestDatabase } from "@/lib/testing/database";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { openRunBench, type RunBench } from "@/lib/testing/run-bench";

export interface ClientBenchFacts {
  allowlist: string;
  /** More fields of the profile's file, and of the server's. */
  profile?: string;
  server?: string;
  /** Address of another server than the recording one. */
  url?: string;
  /** 0: no worker in this process. */
  capacity?: number;
}

export interface ClientBench extends RunBench {
  recorder: RecordingServer;
  serverName: string;
  calls: ReturnType<typeof createClientCalls>;
  /** The same in another process, with a worker of its own. */
  elsewhere(): Promise<ClientBench["calls"]>;
  /** Of a person, a token and a session of their own. */
  caller(): Promise<ClientCaller>;
  /** Another session of the same token. */
  sessionOf(caller: ClientCaller): Promise<ClientCaller>;
  person(): Promise<DecidedBy>;
  decide(runId: string, verdict: DecisionCommand["verdict"], command?: Partial<DecisionCommand>): Promise<void>;
}

export async function openClientBench(database: TestDatabase, facts: ClientBenchFacts): Promise<ClientBench> {
  const recorder = await startRecordingServer({});
  onTestFinished(() => recorder.close());
  const serverName = `rec-${randomBytes(4).toString("hex")}`;
  const bench = await openRunBench(database, {
    "servers/recorder.server.yaml": `name: ${serverName}\nurl: "${facts.url ?? recorder.url}"\n${facts.server ?? ""}`,
    "profiles/coding.profile.yaml": `name: coding\nservers:\n  - path: servers/recorder.server.yaml\n    access:\n      allowlist:\n${facts.allowlist.replaceAll(/^/gm, "        ")}\n${facts.profile ?? ""}`,
  });
  const deps = await withWorker(bench.deps, database.url, facts.capacity ?? 8);
  const calls = createClientCalls(deps);
  onTestFinished(() => calls.flush());
  const person = async (): Promise<DecidedBy> => {
    const user = await buildUser(deps, "reviewer");
    return { userId: user.id, role: "reviewer", groups: [], actor: user.actor, tokenId: null };
  };
  return {
    ...bench,
    deps,
    recorder,
    serverName,
    calls,
    elsewhere: async () => createClientCalls(await withWorker(bench.deps, database.url, facts.capacity ?? 8)),
    caller: () => buildCaller(deps),
    sessionOf: async (caller) => ({ ...caller, sessionId: await buildSession(deps, caller.token.id) }),
    person,
    decide: async (runId, verdict, command = {}) => {
      const [approval] = await listPendingOfRun(deps.db, runId);
      if (!approval) throw new Error(`run ${runId} waits for nobody`);
      const { id: approvalId, digest } = approval;
      await decideApproval(deps, await person(), { approvalId, verdict, digest, ...command });
    },
  };
}

/** What it is given is claimed by its own worker, as in a web process. */
async function withWorker(deps: Runtime, url: string, capacity: number): Promise<Runtime> {
  if (capacity === 0) return deps;
  const ownerId = createId("worker");
  const channel = openWakeChannel(url, ownerId, (runId) => loop.wake(runId));
  onTestFinished(() => channel.close());
  const loop = startRunLoop(deps, { ownerId, capacity, channel });
  onTestFinished(() => loop.stop());
  await channel.opened;
  return { ...deps, wake: (runId) => loop.wake(runId), workerSlot: (runId) => loop.workerSlot(runId) };
}

async function buildCaller(deps: Runtime): Promise<ClientCaller> {
  const user = await buildUser(deps, "operator");
  const token = { id: createId("token"), name: "editor" };
  const hash = randomBytes(32).toString("hex");
  const profile = "coding";
  await deps.db.apiToken.create({
    data: { ...token, userId: user.id, createdById: user.id, hash, hint: "abcd", scopes: ["mcp"], profile },
  });
  const sessionId = await buildSession(deps, token.id);
  return { token, user: { id: user.id, name: user.name }, profile, client: "test 1.0", sessionId };
}

async function buildSession({ db }: Runtime, tokenId: string): Promise<string> {
  const id = createId("session");
  const client = { clientName: "test", clientVersion: "1.0", protocolVersion: "2026-07-28" };
  await db.clientSession.create({ data: { id, tokenId, profile: "coding", ...client } });
  return id;
}
