/** Kimitsu on the same work: scripted model, a tool server in this process, the real store, engine, policy and audit trail. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import pg from "pg";
import { z } from "zod";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { LEASE_MS } from "@/lib/domain/limits";
import { hashPassword } from "@/lib/domain/password";
import { advanceRun } from "@/lib/engine/advance-run";
import { decideApproval, type DecidedBy } from "@/lib/engine/decide-approval";
import { openProjects } from "@/lib/engine/projects";
import type { Runtime } from "@/lib/engine/runtime";
import { startRun } from "@/lib/engine/start-run";
import { processVariables } from "@/lib/env";
import { createId } from "@/lib/ids";
import { connect } from "@/lib/store/client";
import { claimRun } from "@/lib/store/transitions/claim-run";
import { createUserRow } from "@/lib/store/transitions/create-user";
import { createEgress } from "@/lib/tools/egress";
import { createToolPool } from "@/lib/tools/tool-pool";
import { cost, measure } from "./measure.mjs";

const FILES: Record<string, string> = {
  "gateway.yaml": "providers: [{ name: bench, type: scripted, config: { script: models/bench.script.yaml } }]\nmodel_groups: [{ name: standard, models: [bench/m] }]\n",
  "models/bench.script.yaml": 'agents:\n  worker:\n    turns:\n      - say: "I act."\n        call: [{ tool: act, arguments: { text: act } }]\n      - say: done\n',
  "agents/worker.agent.yaml": "name: worker\nmodel: standard\nprompt: { system: Work., user: Go. }\nservers:\n  - name: kimitsu/memory\n    access: { allowlist: [{ name: act, require_approval: { self_approval: true } }] }\n",
  "workflows/main.workflow.yaml": "kind: workflow\nname: main\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml }\n",
};

/** A real MCP server, without a network between. */
async function openToolServer() {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool("act", { description: "Acts", inputSchema: { text: z.string() } }, async ({ text }) => ({ content: [{ type: "text", text: `${text}ed` }] }));
  await server.connect(theirs);
  return mine;
}

async function openRuntime(folder: string, url: string): Promise<Runtime> {
  const db = connect(url, 20);
  const now = () => new Date();
  const egress = createEgress({ allowHosts: [] });
  const pool = createToolPool({ allowHosts: [], stdio: null, openBuiltin: openToolServer as never });
  const deployment = { allowStdio: false, allowBypass: false };
  const projects = await openProjects({ root: folder, dataFolder: folder, deployment, processEnv: {}, db, fetch: egress.guardedFetch, now });
  return { db, now, projects, pool, fetch: egress.guardedFetch, processEnv: {}, deployment, fingerprint: (value) => String(value.length), wake: () => undefined, close: () => pool.close() };
}

const url = processVariables().DATABASE_URL ?? "";
const plan = JSON.parse(processVariables().BENCH_PLAN ?? "{}") as { warmUp: number; rounds: { concurrency: number; count: number }[] };
const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-bench-"));
for (const [file, text] of Object.entries(FILES)) {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}
const deps = await openRuntime(folder, url);
const userId = createId("user");
await createUserRow(deps.db, { id: userId, email: `${userId}@example.org`, name: "Reviewer", role: "reviewer", passwordHash: await hashPassword("bench bench bench") }, SYSTEM_ACTOR, deps.now());
const by: DecidedBy = { userId, role: "reviewer", groups: [], tokenId: null, actor: { kind: "user", id: userId, name: "Reviewer" } };
const owner = createId("worker");
const { signal } = new AbortController();

async function advance(runId: string, from: "pending" | "pending_approval"): Promise<void> {
  const claim = await claimRun(deps.db, { candidate: { id: runId, status: from, leaseOwner: null }, owner, leaseMs: LEASE_MS }, SYSTEM_ACTOR, deps.now());
  if (claim.kind === "lost") throw new Error(`run ${runId} was not there to be claimed`);
  await advanceRun(deps, claim.lease, { signal, snapshot: claim.snapshot });
}

async function cycle(): Promise<number> {
  const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
  await advance(runId, "pending");
  const approval = await deps.db.approval.findFirstOrThrow({ where: { runId }, select: { id: true } });
  const decidedAt = performance.now();
  await decideApproval(deps, by, { approvalId: approval.id, verdict: "approved" });
  await advance(runId, "pending_approval");
  return performance.now() - decidedAt;
}

const client = new pg.Client({ connectionString: url });
await client.connect();
await measure({ cycle, count: plan.warmUp, concurrency: 8 });
const { rows } = await client.query("SELECT status, count(*)::int FROM runs GROUP BY status");
if (rows.length !== 1 || rows[0].status !== "complete") throw new Error(`not all runs ended well: ${JSON.stringify(rows)}`);
const results = [];
for (const { concurrency, count } of plan.rounds) results.push(await cost(client, count, () => measure({ cycle, count, concurrency })));
console.log(JSON.stringify(results));
await client.end();
await deps.close();
await deps.db.$disconnect();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
