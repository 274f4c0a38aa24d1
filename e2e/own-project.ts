import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EngineDeps } from "@/lib/engine/deps";
import { openProjects } from "@/lib/engine/projects";
import { startRun } from "@/lib/engine/start-run";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { createEgress } from "@/lib/tools/egress";
import type { Person } from "./fixtures";

export interface OwnProject {
  recorder: RecordingServer;
  start(by: Person): Promise<string>;
  close(): Promise<void>;
}

/**
 * A project of the test's own, with one agent and a tool server that records what reaches it. The run is only started here; the application's
 * worker drives it, under the project that the run brought along.
 */
export async function openOwnProject(deps: EngineDeps, { script, allowlist }: { script: string; allowlist: string }): Promise<OwnProject> {
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-e2e-project-"));
  const recorder = await startRecordingServer({});
  const files = {
    "gateway.yaml": "providers: [{ name: test, type: scripted, config: { script: models/test.script.yaml } }]\nmodel_groups: [{ name: standard, models: [test/m], pricing: [{ model: m, input_per_million: 100, output_per_million: 100 }] }]\n",
    "models/test.script.yaml": script,
    "servers/recorder.server.yaml": `name: recorder-${recorder.port}\nurl: "${recorder.url}"\n`,
    "agents/worker.agent.yaml": `name: worker\nmodel: standard\nprompt: { system: "You look after orders.", user: "Order 1042 was paid twice." }\nservers:\n  - name: recorder-${recorder.port}\n    path: servers/recorder.server.yaml\n    access:\n      allowlist:\n${allowlist.replaceAll(/^/gm, "        ")}\n`,
    "workflows/orders.workflow.yaml": "kind: workflow\nname: orders\nversion: '1.0.0'\npipeline:\n  - id: refund\n    agent: ./agents/worker.agent.yaml\n  - id: report\n    depends_on: [refund]\n    transform: { inputs: [{ from: refund }] }\n",
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, "kimitsu", file)), { recursive: true });
    writeFileSync(path.join(folder, "kimitsu", file), text);
  }
  const egress = createEgress({ allowHosts: ["127.0.0.1"] });
  const projects = await openProjects({ root: path.join(folder, "kimitsu"), dataFolder: folder, deployment: { allowStdio: false, allowBypass: false }, processEnv: {}, fetch: egress.guardedFetch, ...deps });
  return {
    recorder,
    start: async (by) => (await startRun({ ...deps, projects, wake: () => undefined }, { workflow: "orders", params: {}, actor: by.actor })).runId,
    close: async () => {
      await recorder.close();
      await egress.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
