/** Kimitsu with a project of its own and a tool server in this process: the real store, engine, policy and audit trail. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { LEASE_MS } from "@/lib/domain/limits";
import { hashPassword } from "@/lib/domain/password";
import { advanceRun } from "@/lib/engine/advance-run";
import type { DecidedBy } from "@/lib/engine/decide-approval";
import { openProjects } from "@/lib/engine/projects";
import { watchQueue } from "@/lib/engine/queue-room";
import type { Runtime } from "@/lib/engine/runtime";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { connect } from "@/lib/store/client";
import { claimRun } from "@/lib/store/transitions/claim-run";
import { createUserRow } from "@/lib/store/transitions/create-user";
import { createEgress } from "@/lib/tools/egress";
import { createToolPool, type ToolPoolOptions } from "@/lib/tools/tool-pool";
import { openActServer } from "./act-server.mjs";
import { POOL_SIZE } from "./subject.mjs";

const LOOPBACK = ["127.0.0.1"];
const CLAIM_TRIES = 20;
const CLAIM_RETRY_MS = 50;

/** One agent that asks for the tool `act`, which a person approves, and then is done. */
export const ACT_PROJECT: Readonly<Record<string, string>> = {
  "gateway.yaml": "providers: [{ name: bench, type: scripted, config: { script: models/bench.script.yaml } }]\nmodel_groups: [{ name: standard, models: [bench/m] }]\n",
  "models/bench.script.yaml": 'agents:\n  worker:\n    turns:\n      - say: "I act."\n        call: [{ tool: act, arguments: { text: act } }]\n      - say: done\n',
  "agents/worker.agent.yaml": "name: worker\nmodel: standard\nprompt: { system: Work., user: Go. }\nservers:\n  - name: kimitsu/memory\n    access: { allowlist: [{ name: act, require_approval: { self_approval: true } }] }\n",
  "workflows/main.workflow.yaml": "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\n",
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

export async function openKimitsu({ url, files = ACT_PROJECT, onAct = () => undefined, stdio = null }: BenchOptions): Promise<KimitsuBench> {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-bench-"));
  const root = path.join(folder, "kimitsu");
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  const db = connect(url, POOL_SIZE);
  const now = () => new Date();
  const egress = createEgress({ allowHosts: LOOPBACK });
  const pool = createToolPool({ allowHosts: LOOPBACK, stdio, openBuiltin: (() => openActServer(onAct)) as never });
  const deployment = { allowStdio: stdio !== null, allowBypass: false };
  const projects = await openProjects({ root, dataFolder: folder, deployment, processEnv: {}, db, fetch: egress.guardedFetch, now });
  const deps: Runtime = { db, now, projects, pool, fetch: egress.guardedFetch, processEnv: {}, deployment, fingerprint: (value) => String(value.length), queue: watchQueue({ db, now }, env.KIMITSU_QUEUE_MAX), wake: () => undefined, close: () => pool.close() };
  const close = async () => {
    await deps.close();
    await egress.close();
    await db.$disconnect();
    rmSync(folder, { recursive: true, force: true });
  };
  return { deps, root, close };
}

export async function createReviewer({ db, now }: Runtime): Promise<DecidedBy> {
  const id = createId("user");
  await createUserRow(db, { id, email: `${id}@example.org`, name: "Reviewer", role: "reviewer", passwordHash: await hashPassword("bench bench bench") }, SYSTEM_ACTOR, now());
  return { userId: id, role: "reviewer", groups: [], tokenId: null, actor: { kind: "user", id, name: "Reviewer" } };
}

/** What a worker does with a run that it was called for. A row that another statement holds at that moment is tried again, as by the worker's poll. */
export async function advance(deps: Runtime, owner: string, runId: string, from: "pending" | "pending_approval"): Promise<void> {
  for (let attempt = 0; attempt < CLAIM_TRIES; attempt++) {
    const claim = await claimRun(deps.db, { candidate: { id: runId, status: from, leaseOwner: null }, owner, leaseMs: LEASE_MS }, SYSTEM_ACTOR, deps.now());
    if (claim.kind === "claimed") return void (await advanceRun(deps, claim.lease, { signal: new AbortController().signal, snapshot: claim.snapshot }));
    await delay(CLAIM_RETRY_MS);
  }
  throw new Error(`run ${runId} was not there to be claimed`);
}
