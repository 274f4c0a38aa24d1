/**
 * Kimitsu with a project of its own and a tool server in this process: the real store, engine, policy and audit trail.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { LEASE_MS } from "@/lib/limits";
import { hashPassword } from "@/lib/people/rules/password";
import { advanceRun } from "@/lib/runs/advance-run";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import { openProjects } from "@/lib/projects/projects";
import { watchQueue } from "@/lib/runs/queue-room";
import type { Runtime } from "@/lib/runs/runtime";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { connect } from "@/lib/database/client";
import { claimRun } from "@/lib/runs/journal/claim-run";
import { createUserRow } from "@/lib/people/transitions/create-user";
import { createEgress } from "@/lib/tools/egress";
import { createToolPool, type ToolPool, type ToolPoolOptions } from "@/lib/tools/tool-pool";
import type { ToolServer } from "@/lib/tools/tool-server";
import type { Server } from "@/lib/config/server-schema";
import { openActServer } from "./act-server.mjs";
import { POOL_SIZE } from "./subject.mjs";

const LOOPBACK = ["127.0.0.1"];
const CLAIM_TRIES = 20;
const CLAIM_RETRY_MS = 50;

/** Its address is never used: the server is in this process. */
const ACT_URL = "http://127.0.0.1:9";
const ACT_SERVER = `servers:\n  - { name: bench, url: "${ACT_URL}" }\n`;

/** One agent that asks for the tool `act`, which a person approves, and then is done. */
export const ACT_PROJECT: Readonly<Record<string, string>> = {
  "gateway.yaml":
    "providers: [{ name: bench, type: scripted, config: { script: models/bench.script.yaml } }]\nmodel_groups: [{ name: standard, models: [bench/m] }]\n",
  "models/bench.script.yaml":
    'agents:\n  worker:\n    turns:\n      - say: "I act."\n        call: [{ tool: act, arguments: { text: act } }]\n      - say: done\n',
  "agents/worker.agent.yaml":
    "name: worker\nmodel: standard\nprompt: { system: Work., user: Go. }\nservers:\n  - name: bench\n    access: { allowlist: [{ name: act, require_approval: { self_approval: true } }] }\n",
  "servers.yaml": ACT_SERVER,
  "workflows/main.workflow.yaml":
    "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\n",
};

export interface BenchOptions {
  url: string;
  files?: Readonly<Record<string, string>>;
  onAct?: () => unknown;
  stdio?: ToolPoolOptions["stdio"];
}

export interface KimitsuBench {
  deps: Runtime;
  root: string;
  close(): Promise<void>;
}

export async function openKimitsu({
  url,
  files = ACT_PROJECT,
  onAct = () => undefined,
  stdio = null,
}: BenchOptions): Promise<KimitsuBench> {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-bench-"));
  const root = path.join(folder, "kimitsu");
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  const db = connect(url, POOL_SIZE);
  const now = () => new Date();
  const egress = createEgress({ allowHosts: LOOPBACK });
  const pool = withActInside(
    createToolPool({ allowHosts: LOOPBACK, stdio, openBuiltin: (() => openActServer(onAct)) as never }),
  );
  const deployment = { allowStdio: stdio !== null, allowBypass: false };
  const projects = await openProjects({
    root,
    dataFolder: folder,
    deployment,
    processEnv: {},
    db,
    fetch: egress.guardedFetch,
    now,
  });
  const deps: Runtime = {
    db,
    now,
    projects,
    pool,
    fetch: egress.guardedFetch,
    processEnv: {},
    deployment,
    fingerprint: (value) => String(value.length),
    queue: watchQueue({ db, now }, env.KIMITSU_QUEUE_MAX),
    wake: () => undefined,
    close: () => pool.close(),
  };
  const close = async () => {
    await deps.close();
    await egress.close();
    await db.$disconnect();
    rmSync(folder, { recursive: true, force: true });
  };
  return { deps, root, close };
}

/** A server without an address is in this process. */
function withActInside(pool: ToolPool): ToolPool {
  const inside = new Map<Server, Server>();
  const move = (server: ToolServer): ToolServer => {
    const { definition } = server;
    if (definition.url !== ACT_URL) return server;
    const moved = inside.get(definition) ?? { ...definition, url: undefined };
    inside.set(definition, moved);
    return { ...server, definition: moved };
  };
  return {
    listTools: (server, options) => pool.listTools(move(server), options),
    use: (server, signal, work) => pool.use(move(server), signal, work),
    watchLists: (listener) => pool.watchLists(listener),
    close: () => pool.close(),
  };
}

export async function createReviewer({ db, now }: Runtime): Promise<DecidedBy> {
  const id = createId("user");
  await createUserRow(
    db,
    {
      id,
      email: `${id}@example.org`,
      name: "Reviewer",
      role: "reviewer",
      passwordHash: await hashPassword("bench bench bench"),
    },
    SYSTEM_ACTOR,
    now(),
  );
  return { userId: id, role: "reviewer", groups: [], tokenId: null, actor: { kind: "user", id, name: "Reviewer" } };
}

/**
 * What a worker does with a run that it was notified of. A row that another statement has locked is tried again, as by
 * the worker's poll.
 */
export async function advance(deps: Runtime, owner: string, runId: string): Promise<void> {
  for (let attempt = 0; attempt < CLAIM_TRIES; attempt++) {
    const claimed = await claimRun(deps.db, { id: runId, leaseOwner: null }, { owner, leaseMs: LEASE_MS }, deps.now());
    if (claimed) return void (await advanceRun(deps, claimed, { signal: new AbortController().signal }));
    await delay(CLAIM_RETRY_MS);
  }
  throw new Error(`run ${runId} was not there to be claimed`);
}
