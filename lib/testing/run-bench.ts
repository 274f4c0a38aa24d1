import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Actor } from "@/lib/people/rules/actor";
import { LEASE_MS } from "@/lib/limits";
import { advanceRun, type AdvanceOutcome } from "@/lib/runs/advance-run";
import { openProjects } from "@/lib/projects/projects";
import { createEndKeeper, createListKeeper } from "@/lib/tools/registry/keep-list";
import { watchQueue } from "@/lib/runs/queue-room";
import type { Runtime } from "@/lib/runs/runtime";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { findCandidate } from "@/lib/testing/find-candidate";
import { type Claimed, claimRun } from "@/lib/runs/journal/claim-run";
import type { TestDatabase } from "@/lib/testing/database";
import { TestClock } from "@/lib/testing/deps";
import { createBuiltins } from "@/lib/tools/builtin/open-builtin";
import { createEgress } from "@/lib/tools/egress";
import { createToolPool } from "@/lib/tools/tool-pool";

const LOOPBACK = ["127.0.0.1", "localhost"];

export interface RunBench {
  deps: Runtime;
  clock: TestClock;
  /** Runs for which a wake notification was sent, in order. */
  woken: string[];
  /** Claims the run as a new worker would, and advances it as far as it goes. */
  advance(runId: string, signal?: AbortSignal): Promise<AdvanceOutcome>;
}

/**
 * A project on disk, real tool servers, the scripted model, and no worker: the test itself decides when a run is
 * advanced.
 */
export async function openRunBench(
  database: TestDatabase,
  files: Record<string, string>,
  processEnv: Record<string, string> = {},
): Promise<RunBench> {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-project-"));
  const root = path.join(folder, "kimitsu");
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  const clock = new TestClock();
  const egress = createEgress({ allowHosts: LOOPBACK });
  const allowStdio = processEnv.KIMITSU_ALLOW_STDIO === "1";
  const deployment = { allowStdio, allowBypass: false };
  const woken: string[] = [];
  const projects = await openProjects({
    root,
    dataFolder: folder,
    deployment,
    processEnv,
    db: database.db,
    fetch: egress.guardedFetch,
    now: clock.now,
  });
  const pool = createToolPool({
    allowHosts: LOOPBACK,
    stdio: allowStdio ? { env: {} } : null,
    openBuiltin: createBuiltins({
      files: { projectFolder: root, dataFolder: path.join(folder, "data"), confinedTo: folder },
      http: { innerHosts: LOOPBACK },
      shell: { bwrap: null, allowUnsandboxed: false },
    }),
    onListChanged: createListKeeper({ db: database.db, now: clock.now, projects }),
    onProgramEnded: createEndKeeper({ db: database.db, now: clock.now }),
  });
  const close = async () => {
    await pool.close();
    await egress.close();
  };
  database.closing.push(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
  const deps: Runtime = {
    db: database.db,
    now: clock.now,
    projects,
    pool,
    fetch: egress.guardedFetch,
    processEnv,
    deployment,
    fingerprint: (value) => `fp${value.length}`,
    queue: watchQueue({ db: database.db, now: clock.now }, env.KIMITSU_QUEUE_MAX),
    wake: (runId) => void woken.push(runId),
    close,
  };
  return {
    deps,
    clock,
    woken,
    advance: (runId, signal = new AbortController().signal) => advanceAsWorker(deps, runId, signal),
  };
}

async function advanceAsWorker(deps: Runtime, runId: string, signal: AbortSignal): Promise<AdvanceOutcome> {
  return advanceRun(deps, await claimAsWorker(deps, runId), { signal });
}

/** As a new worker would. */
export async function claimAsWorker({ db, now }: Runtime, runId: string): Promise<Claimed> {
  const candidate = await findCandidate(db, runId);
  if (!candidate) throw new Error(`no run ${runId}`);
  const claimed = await claimRun(db, candidate, { owner: createId("worker"), leaseMs: LEASE_MS }, now());
  if (!claimed) throw new Error(`run ${runId} has nothing to do`);
  return claimed;
}

export const TEST_ACTOR: Actor = { kind: "user", id: "usr_starter", name: "Starter" };

/** Someone other than the person who started the run. */
export const REVIEWER_ACTOR: Actor = { kind: "user", id: "usr_reviewer", name: "Reviewer" };

/** The least that a project with one agent and one tool server needs. */
export function oneAgentProject(facts: {
  url: string;
  allowlist: string;
  script: string;
  workflow?: string;
  agent?: string;
}): Record<string, string> {
  return {
    "gateway.yaml":
      "providers: [{ name: test, type: scripted, config: { script: models/test.script.yaml } }]\nmodel_groups: [{ name: standard, models: [test/m], pricing: [{ model: m, input_per_million: 1, output_per_million: 1 }] }]\n",
    "models/test.script.yaml": facts.script,
    "servers/recorder.server.yaml": `name: recorder\nurl: "${facts.url}"\n`,
    "agents/worker.agent.yaml": `name: worker\nmodel: standard\nprompt: { system: "Work." , user: "Go." }\nservers:\n  - name: recorder\n    path: servers/recorder.server.yaml\n    access:\n      allowlist:\n${facts.allowlist.replaceAll(/^/gm, "        ")}\n${facts.agent ?? ""}`,
    "workflows/main.workflow.yaml":
      facts.workflow ?? "kind: workflow\nname: main\npipeline:\n  - id: work\n    agent: ./agents/worker.agent.yaml\n",
  };
}
