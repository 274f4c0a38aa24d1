import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { advanceRun } from "@/lib/runs/advance-run";
import type { EngineDeps } from "@/lib/database/deps";
import { openProjects } from "@/lib/projects/projects";
import { watchQueue } from "@/lib/runs/queue-room";
import type { Runtime } from "@/lib/runs/runtime";
import { startRun } from "@/lib/runs/start-run";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { findCandidate } from "@/lib/testing/find-candidate";
import { claimRun } from "@/lib/runs/journal/claim-run";
import { OWNER_LOCK_CLASS } from "@/lib/runs/transitions/release-dead-owners";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { createEgress } from "@/lib/tools/egress";
import { createToolPool } from "@/lib/tools/tool-pool";
import { type Person, required } from "./fixtures";

export interface OwnProject {
  /** A unique name. */
  workflow: string;
  recorder: RecordingServer;
  /** Starts a run, which the application's worker then advances, under the project version of the run. */
  start(by: Person): Promise<string>;
  /**
   * Starts a run and advances it here as far as it goes. The application's own lock file knows none of its tools and
   * would refuse all of them.
   */
  startAndDrive(by: Person): Promise<string>;
  close(): Promise<void>;
}

const LOOPBACK = ["127.0.0.1"];
/** For this long the application's worker leaves a run of `startAndDrive` alone; its lease lasts as long. */
const AHEAD_MS = 60_000;

interface OwnFiles {
  script: string;
  allowlist: string;
  /** To replace a server that the application knows; otherwise a unique name. */
  serverName?: string;
  /** To be judged by the application's current rules for an agent of this name. */
  agentName?: string;
}

/** A project of the test's own, with one agent and a tool server that records what reaches it. */
export async function openOwnProject(deps: EngineDeps, project: OwnFiles): Promise<OwnProject> {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-e2e-project-"));
  const root = path.join(folder, "kimitsu");
  const recorder = await startRecordingServer({});
  const workflow = `orders-${randomBytes(4).toString("hex")}`;
  for (const [file, text] of Object.entries(filesOf(workflow, project, recorder))) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  const egress = createEgress({ allowHosts: LOOPBACK });
  const pool = createToolPool({ allowHosts: LOOPBACK, stdio: null });
  const deployment = { allowStdio: false, allowBypass: false };
  const projects = await openProjects({
    root,
    dataFolder: folder,
    deployment,
    processEnv: {},
    fetch: egress.guardedFetch,
    ...deps,
  });
  const close = async () => {
    await pool.close();
    await recorder.close();
    await egress.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const runtime: Runtime = {
    ...deps,
    projects,
    pool,
    fetch: egress.guardedFetch,
    processEnv: {},
    deployment,
    fingerprint: (value) => `fp${value.length}`,
    queue: watchQueue(deps, env.KIMITSU_QUEUE_MAX),
    wake: () => undefined,
    close,
  };
  const start = async (by: Person, now = deps.now) =>
    (await startRun({ ...runtime, now }, { workflow, params: {}, actor: by.actor })).runId;
  return {
    workflow,
    recorder,
    start,
    startAndDrive: async (by) => {
      const runId = await start(by, () => new Date(Date.now() + AHEAD_MS));
      await drive(runtime, runId);
      return runId;
    },
    close,
  };
}

function filesOf(
  workflow: string,
  { script, allowlist, serverName, agentName = "worker" }: OwnFiles,
  { url, port }: RecordingServer,
): Record<string, string> {
  const server = serverName ?? `recorder-${port}`;
  return {
    "gateway.yaml":
      "providers: [{ name: test, type: scripted, config: { script: models/test.script.yaml } }]\nmodel_groups: [{ name: standard, models: [test/m], pricing: [{ model: m, input_per_million: 100, output_per_million: 100 }] }]\n",
    "models/test.script.yaml": script,
    "servers/recorder.server.yaml": `name: ${server}\nurl: "${url}"\n`,
    "agents/worker.agent.yaml": `name: ${agentName}\nmodel: standard\nprompt: { system: "You look after orders.", user: "Order 1042 was paid twice." }\nservers:\n  - name: ${server}\n    path: servers/recorder.server.yaml\n    access:\n      allowlist:\n${allowlist.replaceAll(/^/gm, "        ")}\n`,
    [`workflows/${workflow}.workflow.yaml`]: `kind: workflow\nname: ${workflow}\nversion: '1.0.0'\npipeline:\n  - id: refund\n    agent: ./agents/worker.agent.yaml\n  - id: report\n    depends_on: [refund]\n    transform: { inputs: [{ from: refund }] }\n`,
  };
}

/** As a worker would: with the lock that shows others that it is alive. */
async function drive(runtime: Runtime, runId: string): Promise<void> {
  const owner = createId("worker");
  const line = new pg.Client({ connectionString: required("DATABASE_URL") });
  await line.connect();
  try {
    await line.query("SELECT pg_advisory_lock($1, hashtext($2))", [OWNER_LOCK_CLASS, owner]);
    const candidate = await findCandidate(runtime.db, runId);
    if (!candidate) throw new Error(`no run ${runId}`);
    const claimed = await claimRun(
      runtime.db,
      candidate,
      { owner, leaseMs: AHEAD_MS },
      new Date(Date.now() + AHEAD_MS),
    );
    if (!claimed) throw new Error(`run ${runId} was taken by another`);
    await advanceRun(runtime, claimed, { signal: new AbortController().signal });
  } finally {
    await line.end();
  }
}
