import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { decideApproval, type DecidedBy } from "@/lib/approvals/decide-approval";
import { listPendingOfRun } from "@/lib/approvals/queries/get-approval";
import { startRun } from "@/lib/runs/start-run";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { oneAgentProject, openRunBench, TEST_ACTOR } from "@/lib/testing/run-bench";
import { listRegistryServers, listRegistryTools } from "@/lib/tools/registry/list-registry";

const database = useDatabase();

const SCRIPT = `agents:
  worker:
    turns:
      - call:
          - { tool: write_file, arguments: { path: "reports/one.txt", content: "first" } }
          - { tool: write_file, arguments: { path: "two.txt", content: "second" } }
          - { tool: file_exists, arguments: { path: "two.txt" } }
      - output: { done: true }
`;

const AGENT = `name: worker
model: standard
prompt: { system: "Work.", user: "Go." }
servers:
  - name: kimitsu/files
    params: { allowed_base: ../work }
    access:
      allowlist:
        - "*"
        - name: write_file
          require_approval: { on_reject: recover }
`;

test(
  verifies(
    "builtin:files:approved",
    verifies("builtin:lock", "an approved write makes the file, and a rejected one none"),
  ),
  async () => {
    const project = oneAgentProject({ url: "http://127.0.0.1:1/mcp", allowlist: "- none", script: SCRIPT });
    const { deps, advance } = await openRunBench(database, { ...project, "agents/worker.agent.yaml": AGENT });
    const work = path.resolve(deps.projects.current().project.root, "../work");
    mkdirSync(work);
    const reviewer = await buildUser(deps, "reviewer", { name: "Rea" });
    const by: DecidedBy = { userId: reviewer.id, role: "reviewer", groups: [], actor: reviewer.actor, tokenId: null };
    const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
    expect(await advance(runId)).toEqual({ kind: "parked", wakeAt: null });
    const pending = await listPendingOfRun(deps.db, runId);
    expect(pending.map(({ tool, danger }) => [tool, danger])).toEqual([
      ["write_file", "medium"],
      ["write_file", "medium"],
    ]);
    expect([existsSync(path.join(work, "reports")), existsSync(path.join(work, "two.txt"))]).toEqual([false, false]);
    const [first, second] = pending;
    await decideApproval(deps, by, { approvalId: first!.id, verdict: "approved", digest: first!.digest });
    await decideApproval(deps, by, { approvalId: second!.id, verdict: "rejected", reason: "Not this one" });
    expect(await advance(runId)).toEqual({ kind: "settled" });
    expect(readFileSync(path.join(work, "reports/one.txt"), "utf8")).toBe("first");
    expect(existsSync(path.join(work, "two.txt"))).toBe(false);
    const calls = await deps.db.call.findMany({ where: { runId }, orderBy: { id: "asc" } });
    expect(calls.map(({ tool, status }) => [tool, status]).sort()).toEqual([
      ["file_exists", "succeeded"],
      ["write_file", "rejected"],
      ["write_file", "succeeded"],
    ]);
    const [server] = (await listRegistryServers(deps)).filter(({ origin }) => origin === "builtin");
    expect(server).toMatchObject({ name: "kimitsu/files", health: "ok", tools: 8, agents: ["worker"] });
    const tools = await listRegistryTools(deps, { server: "kimitsu/files" });
    expect(tools.find(({ tool }) => tool === "delete_file")).toMatchObject({
      danger: "high",
      pin: "trusted_first_use",
    });
  },
);
