/**
 * Runs that end well, are rejected, fail in each way, are cancelled and retried; and requests that are wrong in each
 * way. Every run's event stream is recorded.
 */
import { randomBytes } from "node:crypto";
import { expect } from "../fixtures";
import { ask } from "./ask";
import type { Listener } from "./listen";
import type { OwnApp } from "./own-app";
import type { Place } from "./search";
import type { WayToFail } from "./ways-to-fail";

export type Tokens = Record<"admin" | "reviewer" | "operator", string>;

export interface DriveFacts {
  tokens: Tokens;
  places: Place[];
  listener: Listener;
  /** A secret param, and one that is not secret. */
  params: { pin: string; note: string };
  invokeSecret: string;
  ways: Record<string, WayToFail>;
}

export type Runs = Awaited<ReturnType<typeof driveRuns>>;

export async function driveRuns(app: OwnApp, facts: DriveFacts) {
  const { tokens, places, listener, params, invokeSecret, ways } = facts;
  const { pin } = params;
  const post = (address: string, body: unknown, token = tokens.operator, headers = {}) =>
    ask(app, places, "POST", address, { token, body, headers });
  const start = async (workflow: string, given: object = {}) => {
    const { status, json, text } = await post("/runs", { workflow, params: given }, tokens.operator, {
      "idempotency-key": randomBytes(8).toString("hex"),
    });
    expect(status, text).toBe(202);
    const runId = String(json.run_id);
    const line = await listener.open(`of ${workflow} ${runId}`, `${app.url}/runs/${runId}/events`, {
      authorization: `Bearer ${tokens.reviewer}`,
    });
    expect(line.headers.get("content-type")).toContain("text/event-stream");
    return runId;
  };
  const until = async (runId: string, status: string) => {
    const read = () =>
      app.db.run.findUniqueOrThrow({ where: { id: runId }, select: { status: true, error: true, completedAt: true } });
    await expect
      .poll(
        async () => ((run) => (run.status === status || run.completedAt !== null ? "there" : run.status))(await read()),
        { message: `run ${runId} is ${status}` },
      )
      .toBe("there");
    const run = await read();
    expect(run.status, `run ${runId}: ${JSON.stringify(run.error)}`).toBe(status);
  };

  const main = await start("main", params);
  await until(main, "pending_approval");
  await post(`/runs/${main}/approve`, { comment: "fine" }, tokens.reviewer);
  await until(main, "needs_human_review");
  const settleAll = async (runId: string, said: Record<string, string>) => {
    await app.untilProjected();
    const unknown = await app.db.call.findMany({ where: { runId, status: "outcome_unknown" } });
    expect(unknown.length, `calls of ${runId} to settle`).toBeGreaterThan(0);
    for (const { id } of unknown) await post(`/calls/${id}/settle`, said, tokens.admin);
  };
  await settleAll(main, { outcome: "happened", result: "it did" });
  await until(main, "complete");

  const rejected = await start("main", params);
  await until(rejected, "pending_approval");
  await post(`/runs/${rejected}/reject`, { reason: "no" }, tokens.reviewer);
  await until(rejected, "needs_human_review");
  await post(`/runs/${rejected}/cancel`, { reason: "enough" });
  // Nobody retries what may have happened: the call is settled first.
  expect((await post(`/runs/${rejected}/retry`, { secrets: { pin } })).status).toBe(409);
  await settleAll(rejected, { outcome: "failed", comment: "given up" });
  await post(`/runs/${rejected}/retry`, {});
  const { json } = await post(`/runs/${rejected}/retry`, { secrets: { pin } });
  await until(String(json.run_id), "pending_approval");

  const edited = await start("main", { pin });
  await until(edited, "pending_approval");
  const [approval] = await app.db.approval.findMany({ where: { runId: edited, status: "pending" } });
  // What is typed where it does not belong is refused, and the refusal does not repeat it.
  for (const body of [{ arguments: { note: invokeSecret } }, { comment: `it is ${invokeSecret}` }])
    expect(
      (await post(`/approvals/${approval!.id}/decide`, { decision: "approve", ...body }, tokens.reviewer)).status,
    ).toBe(422);
  await post(`/approvals/${approval!.id}/extend`, {}, tokens.reviewer);

  const hook = await start("hook-fails");
  await until(hook, "needs_human_review");
  await settleAll(hook, { outcome: "failed", comment: "nothing came of it" });
  const failed = [hook, await start("paid"), await start("paid"), await start("locked")];
  for (const runId of failed) await until(runId, "failed");
  await until(await start("paid"), "complete");
  const inEachWay = await failInEachWay(app, { start, until, post, ways, tokens });

  const door = { headers: { "x-api-secret": invokeSecret } };
  expect((await ask(app, places, "POST", "/invoke/door", { ...door, body: { n: 1 } })).status).toBe(202);
  await ask(app, places, "POST", "/invoke/door", { ...door, body: { n: "x" } });
  await ask(app, places, "POST", "/invoke/door", { headers: { "x-api-secret": `${invokeSecret}x` }, body: {} });
  const wrong: unknown[] = [
    { workflow: "main", params: { pin: 5 } },
    { workflow: "main", params: { pin: "short" } },
    { workflow: "main", params: { pin, [pin]: 1, note: invokeSecret } },
    `{"workflow":"main","params":{"pin":${JSON.stringify(pin)}`,
    `${pin}`,
    `{"workflow":"main","params":{"pin":${JSON.stringify(pin)},"pin":1}}`,
    { pin },
  ];
  for (const body of wrong) expect((await post("/runs", body)).status, "a wrong request").toBe(422);
  await ask(app, places, "GET", "/runs", { headers: { authorization: `Basic ${tokens.admin}` } });
  await ask(app, places, "GET", "/runs", { token: `${tokens.admin}x` });
  await ask(app, places, "GET", `/runs/${main}/events`, {
    token: tokens.reviewer,
    headers: { accept: "text/event-stream", "last-event-id": pin },
  });
  return { main, rejected, edited, failed: failed[0]!, inEachWay, approvalId: approval!.id, callId: approval!.callId };
}

interface Failing {
  start(workflow: string): Promise<string>;
  until(runId: string, status: string): Promise<void>;
  post(address: string, body: unknown, token: string): Promise<{ status: number; text: string }>;
  ways: Record<string, WayToFail>;
  tokens: Tokens;
}

async function failInEachWay(app: OwnApp, { start, until, post, ways, tokens }: Failing): Promise<string[]> {
  const runIds = new Map<string, string>();
  for (const workflow of Object.keys(ways)) runIds.set(workflow, await start(workflow));
  for (const [workflow, { by }] of Object.entries(ways)) {
    const runId = runIds.get(workflow)!;
    if (by === undefined) continue;
    await until(runId, by === "reject" ? "pending_approval" : "needs_human_review");
    const answer =
      by === "reject"
        ? await post(`/runs/${runId}/reject`, { reason: "no" }, tokens.reviewer)
        : await post(`/runs/${runId}/review`, { accepted: false, comment: "no" }, tokens.reviewer);
    expect(answer.status, answer.text).toBe(200);
  }
  for (const runId of runIds.values()) await until(runId, "failed");
  await app.untilProjected();
  for (const [workflow, { code }] of Object.entries(ways)) {
    const { error } = await app.db.run.findUniqueOrThrow({ where: { id: runIds.get(workflow)! } });
    const steps = await app.db.step.findMany({
      where: { runId: runIds.get(workflow)!, status: "failed" },
      select: { error: true },
    });
    expect(JSON.stringify([error, steps]), workflow).toContain(`"${code}"`);
  }
  return [...runIds.values()];
}
