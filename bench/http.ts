/**
 * One pass over one layer: requests that start a run, then requests that decide an approval, a given number at once.
 * `whole` asks a web process at WEB_URL; `handlers` calls the same route handlers in this process, without Next;
 * `engine` calls what the handlers call. Prints one line of JSON.
 */
import { POST as decide } from "@/app/approvals/[approvalId]/decide/route";
import { POST as invoke } from "@/app/invoke/[workflow]/route";
import { decideApproval, type DecidedBy } from "@/lib/approvals/decide-approval";
import { connect, type Db } from "@/lib/database/client";
import { processVariables } from "@/lib/env";
import { createId } from "@/lib/ids";
import { createToken } from "@/lib/people/create-token";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { scopesOf } from "@/lib/people/rules/roles";
import { CLIENT_ADDRESS_HEADER } from "@/lib/people/session/client-address";
import { openRuntime, runtime } from "@/lib/runs/runtime";
import { startRun } from "@/lib/runs/start-run";
import { buildUser } from "@/lib/testing/builders";
import { advance, openKimitsu } from "./kimitsu-runtime";
import { openLoadClient } from "./load-client";
import { loadProject } from "./load-project.mjs";
import { measure } from "./measure.mjs";
import { startSlowServer } from "./slow-server";

interface Task {
  layer: "whole" | "handlers" | "engine";
  warmUp: number;
  count: number;
  concurrency: number;
}

/** A person with a token for each concurrent client, so that no limit per caller is near. */
type Caller = DecidedBy & { token: string };

interface Layer {
  invoke(caller: Caller): Promise<unknown>;
  decide(caller: Caller, approvalId: string): Promise<unknown>;
  /** Milliseconds of processor time that the measured process has used since it started. */
  usedMs(): Promise<number>;
}

const {
  DATABASE_URL: url = "",
  WEB_URL: webUrl = "",
  TOOL_PORT: toolPort = "",
  BENCH_TASK = "{}",
} = processVariables();
const { layer, warmUp, count, concurrency } = JSON.parse(BENCH_TASK) as Task;

const WORKFLOW = "asked";
const PARAMS = { tag: "t" };
const ADDRESS = "127.0.0.1";
const APPROVE = { decision: "approve" };
const ownUsedMs = async () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function openWhole([{ token }]: [Caller, ...Caller[]]): Layer {
  const client = openLoadClient(webUrl);
  const send = async (address: string, token: string, body: unknown) => {
    if (!(await client.send("request", address, token, body)))
      throw new Error(`${address}: ${[...client.errors.keys()].join(", ")}`);
  };
  return {
    invoke: (caller) => send(`/invoke/${WORKFLOW}`, caller.token, PARAMS),
    decide: (caller, approvalId) => send(`/approvals/${approvalId}/decide`, caller.token, APPROVE),
    async usedMs() {
      const response = await fetch(`${webUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      const figure = /^kimitsu_process_cpu_seconds_total (\S+)/m.exec(await response.text())?.[1];
      if (figure === undefined) throw new Error(`${webUrl}/metrics answers ${response.status} without processor time`);
      return Number(figure) * 1000;
    },
  };
}

async function openHandlers(): Promise<Layer> {
  await openRuntime({ wake: () => undefined });
  const request = (address: string, token: string, body: unknown) =>
    new Request(`http://localhost${address}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        [CLIENT_ADDRESS_HEADER]: ADDRESS,
        "x-request-id": "req_bench",
      },
      body: JSON.stringify(body),
    });
  const read = async (response: Response) => {
    const text = await response.text();
    if (!response.ok) throw new Error(text);
  };
  return {
    invoke: async ({ token }) =>
      read(
        await invoke(request(`/invoke/${WORKFLOW}`, token, PARAMS), {
          params: Promise.resolve({ workflow: WORKFLOW }),
        }),
      ),
    decide: async ({ token }, approvalId) =>
      read(
        await decide(request(`/approvals/${approvalId}/decide`, token, APPROVE), {
          params: Promise.resolve({ approvalId }),
        }),
      ),
    usedMs: ownUsedMs,
  };
}

async function openEngine(): Promise<Layer> {
  await openRuntime({ wake: () => undefined });
  return {
    invoke: ({ actor }) => startRun(runtime(), { workflow: WORKFLOW, params: PARAMS, actor }),
    decide: (caller, approvalId) => decideApproval(runtime(), caller, { approvalId, verdict: "approved" }),
    usedMs: ownUsedMs,
  };
}

const LAYERS = { whole: openWhole, handlers: openHandlers, engine: openEngine };

async function createCallers(db: Db): Promise<[Caller, ...Caller[]]> {
  const deps = { db, now: () => new Date() };
  const create = async (): Promise<Caller> => {
    const { id, name, role, actor } = await buildUser(deps, "operator");
    const { id: tokenId, token } = await createToken(deps, actor, {
      name: "bench",
      userId: id,
      scopes: scopesOf(role),
    });
    const asToken = { kind: "token" as const, id: tokenId, name, userId: id, address: ADDRESS };
    return { userId: id, role, groups: [], tokenId, actor: asToken, token };
  };
  const callers: [Caller, ...Caller[]] = [await create()];
  while (callers.length < concurrency) callers.push(await create());
  return callers;
}

/** Runs that wait for a decision, as many as will be decided. */
async function parkRuns(db: Db): Promise<string[]> {
  const tool = await startSlowServer(0, undefined, Number(toolPort));
  const { deps, close } = await openKimitsu({ url, files: loadProject(tool.url) });
  const owner = createId("worker");
  const runIds: string[] = [];
  const park = async () => {
    const { runId } = await startRun(deps, { workflow: WORKFLOW, params: PARAMS, actor: SYSTEM_ACTOR });
    await advance(deps, owner, runId);
    runIds.push(runId);
    return 0;
  };
  await measure({ cycle: park, count: warmUp + count, concurrency });
  await close();
  tool.close();
  const waiting = await db.$queryRaw<{ id: string }[]>`SELECT id FROM approvals WHERE run_id = ANY(${runIds}::text[])`;
  return waiting.map(({ id }) => id);
}

const db = connect(url, 4);
const callers = await createCallers(db);
const approvalIds = await parkRuns(db);
const measured = await LAYERS[layer](callers);

async function measureKind(request: (caller: Caller) => Promise<unknown>) {
  const free = [...callers];
  const cycle = async () => {
    const startedAt = performance.now();
    const caller = free.pop()!;
    await request(caller);
    free.push(caller);
    return performance.now() - startedAt;
  };
  await measure({ cycle, count: warmUp, concurrency });
  const before = await measured.usedMs();
  const { seconds } = await measure({ cycle, count, concurrency });
  return { count, seconds, usedMs: (await measured.usedMs()) - before };
}

const invoked = await measureKind((caller) => measured.invoke(caller));
const decided = await measureKind((caller) => measured.decide(caller, approvalIds.pop()!));
console.log(JSON.stringify({ invoke: invoked, decide: decided }));
process.exit(0);
