/**
 * The clients of `npm run load`, and the tool server that their runs call: runs are started, waiting calls are approved
 * as open inboxes receive them, all at a steady rate. Sends the tool server's address, receives the application's, and
 * reports the result at the end.
 */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { scopesOf } from "@/lib/people/rules/roles";
import { createToken } from "@/lib/people/create-token";
import { processVariables } from "@/lib/env";
import { connect } from "@/lib/database/client";
import { buildUser } from "@/lib/testing/builders";
import { sessionCookie } from "@/lib/testing/requests";
import { until } from "@/lib/testing/until";
import { openLoadClient } from "./load-client";
import { type Asked, openListeners } from "./load-listeners";
import { type WatchedProcess, watchMemory } from "./load-memory";
import { pace } from "./pace";
import { seedPaused } from "@/lib/testing/seed-paused";
import { startSlowServer } from "./slow-server";

interface LoadOptions {
  minutes: number;
  sse: number;
  decisions: number;
  runs: number;
  paused: number;
}

const { DATABASE_URL: databaseUrl = "", LOAD_OPTIONS = "{}" } = processVariables();
const options = JSON.parse(LOAD_OPTIONS) as LoadOptions;
const WARM_UP_RUNS = 20;
/** Calls that open inboxes have not received after this are searched for, and counted. */
const MISSED_AFTER_MS = 10_000;
const LOOK_MS = 2_000;
/** All runs must end within this time after the end of the load. */
const DRAIN_MS = 120_000;
const DRAIN_LOOK_MS = 250;

/** By tag: when it was decided, if it was, and how often its tool was called. */
const runs = new Map<string, { asked: boolean; decidedAt?: number; calls: number }>();
const tags = new Map<string, string>();
const dispatchMs: number[] = [];
const tool = await startSlowServer(0, (tag) => {
  const run = runs.get(tag);
  if (!run) return;
  run.calls += 1;
  if (run.decidedAt !== undefined) dispatchMs.push(performance.now() - run.decidedAt);
});
process.send!({ toolUrl: tool.url });
const [{ url, processes }] = (await once(process, "message")) as [{ url: string; processes: WatchedProcess[] }];

const db = connect(databaseUrl, 4);
const deps = { db, now: () => new Date() };
const client = openLoadClient(url);
const login = async (role: "operator" | "reviewer") => {
  const user = await buildUser(deps, role);
  return {
    cookie: await sessionCookie(user),
    token: (await createToken(deps, user.actor, { name: "load", userId: user.id, scopes: scopesOf(role) })).token,
  };
};
const operator = await login("operator");
const reviewers: Awaited<ReturnType<typeof login>>[] = [];
for (let index = 0; index < Math.max(options.sse, 1); index++) reviewers.push(await login("reviewer"));

const startMs: number[] = [];
const decideMs: number[] = [];
const waiting: Asked[] = [];
const known = new Set<string>();
let missed = 0;
let decided = 0;

function hear(asked: Asked): void {
  if (known.has(asked.approvalId)) return;
  known.add(asked.approvalId);
  waiting.push(asked);
}

async function start(asked: boolean): Promise<void> {
  const tag = `t${runs.size}`;
  runs.set(tag, { asked, calls: 0 });
  const answer = await client.send("start", "/runs", operator.token, {
    workflow: asked ? "asked" : "free",
    params: { tag },
  });
  if (!answer) return void runs.delete(tag);
  startMs.push(answer.tookMs);
  tags.set(String(answer.body.run_id), tag);
}

async function decideNext(): Promise<void> {
  const next = waiting.find(({ runId }) => tags.has(runId));
  if (!next) return;
  waiting.splice(waiting.indexOf(next), 1);
  const run = runs.get(tags.get(next.runId)!)!;
  run.decidedAt = performance.now();
  const reviewer = reviewers[decided++ % reviewers.length]!;
  const answer = await client.send("decide", `/approvals/${next.approvalId}/decide`, reviewer.token, {
    decision: "approve",
  });
  if (answer) decideMs.push(answer.tookMs);
}

async function listWaiting(): Promise<(Asked & { ageMs: number })[]> {
  const answer = await client.send("list", "/approvals?status=pending&limit=200", reviewers[0]!.token);
  const items = (answer?.body.items ?? []) as { approval_id: string; run_id: string; created_at: string }[];
  return items.map(({ approval_id: approvalId, run_id: runId, created_at: createdAt }) => ({
    approvalId,
    runId,
    ageMs: Date.now() - Date.parse(createdAt),
  }));
}

/** As a page does whose stream was interrupted for a moment. */
async function catchUp(): Promise<void> {
  for (const { approvalId, runId } of await listWaiting()) hear({ approvalId, runId });
}

/** As a person does who opens the list: calls that no inbox received are found too. */
async function lookAround(): Promise<void> {
  for (const { approvalId, runId, ageMs } of await listWaiting()) {
    if (known.has(approvalId) || !tags.has(runId) || ageMs < MISSED_AFTER_MS) continue;
    missed += 1;
    hear({ approvalId, runId });
  }
}

/** Decides what waits until no run is open or it takes too long; returns how many are. */
async function drain(): Promise<number> {
  const deadline = performance.now() + DRAIN_MS;
  for (;;) {
    while (waiting.some(({ runId }) => tags.has(runId))) await decideNext();
    const left = await open();
    if (left === 0 || performance.now() > deadline) return left;
    await delay(DRAIN_LOOK_MS);
  }
}

const open = () => db.run.count({ where: { completedAt: null, workflow: { not: "paused" } } });
const listeners = openListeners(
  url,
  reviewers.slice(0, options.sse).map(({ cookie }) => cookie),
  client,
  { onAsked: hear, onBehind: () => void catchUp() },
);
const look = setInterval(() => void lookAround(), LOOK_MS);

if (options.paused > 0) {
  console.error(`Making ${options.paused} paused runs …`);
  await start(true);
  const [runId = ""] = tags.keys();
  await until(() => db.run.findUniqueOrThrow({ where: { id: runId } }), {
    what: "a paused run",
    timeoutMs: 30_000,
    isDone: ({ status }) => status === "pending_approval",
  });
  await seedPaused(databaseUrl, runId, options.paused);
}
console.error("Warming up …");
for (let index = 0; index < WARM_UP_RUNS; index++) await start(index % 2 === 0);
if ((await drain()) > 0) throw new Error("the warm-up runs did not end");
for (const figures of [startMs, decideMs, dispatchMs]) figures.length = 0;
const before = { decided, runs: runs.size };

console.error(`Load for ${options.minutes} min …`);
const memory = watchMemory(processes);
const ms = options.minutes * 60_000;
const share = options.decisions / options.runs;
let sinceAsked = 0;
const [started, decisions] = await Promise.all([
  pace(options.runs, ms, () => {
    const asked = (sinceAsked += share) >= 1;
    if (asked) sinceAsked -= 1;
    return start(asked);
  }),
  pace(options.decisions, ms, decideNext),
]);
const memoryOf = memory.end();
const atEnd = {
  open: await open(),
  waiting: waiting.length,
  streams: listeners.open(),
  started: startMs.length,
  decided: decideMs.length,
};

console.error("Waiting for the last runs …");
const left = await drain();
clearInterval(look);
await listeners.close();
const failed = await db.run.count({ where: { status: { in: ["failed", "cancelled", "needs_human_review"] } } });
if (failed > 0) client.errors.set("runs that did not end well", failed);
if (left > 0) client.errors.set("runs that did not end", left);
for (const { calls } of runs.values())
  if (calls !== 1) client.fail(calls === 0 ? "tool never called" : "tool called twice");

process.send!({
  report: {
    errors: Object.fromEntries(client.errors),
    seconds: started.seconds,
    started: { sent: runs.size - before.runs, done: atEnd.started, skipped: started.skipped, ...quantiles(startMs) },
    decisions: {
      sent: decided - before.decided,
      done: atEnd.decided,
      skipped: decisions.skipped,
      ...quantiles(decideMs),
    },
    dispatch: quantiles(dispatchMs),
    streams: { open: atEnd.streams, heard: listeners.heard(), missed },
    openAtEnd: atEnd.open,
    waitingAtEnd: atEnd.waiting,
    memory: memoryOf,
  },
});
await client.close();
await db.$disconnect();
tool.close();
process.exit(0);

function quantiles(values: number[]): { count: number; p50: number; p99: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
