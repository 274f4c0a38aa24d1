/** A message that says who decided names the person, also where they decided through a token. */
import { describe, expect, test } from "vitest";
import { POST as DECIDE } from "@/app/approvals/[approvalId]/decide/route";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { composeMessage } from "@/lib/notices/rules/notice";
import { createToken } from "@/lib/people/create-token";
import { sendSlack } from "@/lib/notices/send-slack";
import { sendWebhook } from "@/lib/notices/send-webhook";
import { listNoticeEvents } from "@/lib/notices/queries/list-notice-events";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { startHookServer } from "@/lib/testing/hook-server";
import { sessionCookie, TEST_ORIGIN } from "@/lib/testing/requests";

const database = useDatabase();
const KEY = `whsec_${Buffer.from("a-signing-key-of-tests").toString("base64")}`;
/** Everything that has committed: how far a worker can read depends on other transactions in the same Postgres. */
const EVERYTHING = 2n ** 62n;

/** What a channel is sent when somebody rejects a call. */
async function messageOf(channel: "slack" | "webhook", by: "token" | "session") {
  const target = await startHookServer();
  const bench = await openApiBench(database);
  const [starter, ana] = [await bench.login("operator"), await buildUser(bench.deps, "reviewer", { name: "Ana" })];
  const { token } = await createToken(bench.deps, ana.actor, {
    name: "deploy-bot",
    userId: ana.id,
    scopes: ["approvals:decide"],
  });
  const runId = (await ask(START, "/runs", { method: "POST", token: starter.token, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  const [approval] = await bench.pendingOf(runId);
  const proof = by === "token" ? { token } : { cookie: await sessionCookie(ana), origin: TEST_ORIGIN };
  expect(
    (await ask(DECIDE, "/x", { method: "POST", body: { decision: "reject" }, ...proof }, { approvalId: approval!.id }))
      .status,
  ).toBe(200);

  const events = await listNoticeEvents(database.db, { after: { tx: 0n, id: "" }, before: EVERYTHING, limit: 1_000 });
  const { type, facts } = events.find((event) => event.type === "approval.decided" && event.facts.runId === runId)!;
  const notice = { id: "ntc_1", type, facts };
  const { db, now, projects, fetch, processEnv } = bench.deps;
  const deps = {
    db,
    now,
    projects,
    fetch,
    processEnv,
    origin: "https://kimitsu.example",
    mail: { url: undefined, from: "Kimitsu <kimitsu@kimitsu.example>" },
  };
  if (channel === "slack") await sendSlack(deps, target.url, composeMessage([notice]));
  else await sendWebhook(deps, { url: target.url, secret: KEY }, "program", notice);
  return JSON.parse(target.received[0]!.body) as { text?: string; decision?: unknown };
}

describe(verifies("notices:token-person", "the decider is a person, and the token is named beside them"), () => {
  test("in a chat, by token", async () => {
    expect((await messageOf("slack", "token")).text).toBe("Ana, by token deploy-bot, rejected a call");
  });

  test("in a chat, in a browser", async () => {
    expect((await messageOf("slack", "session")).text).toBe("Ana rejected a call");
  });

  test("to a program, by token", async () => {
    expect((await messageOf("webhook", "token")).decision).toEqual({
      by: "Ana",
      token: "deploy-bot",
      verdict: "rejected",
    });
  });

  test("to a program, in a browser", async () => {
    expect((await messageOf("webhook", "session")).decision).toEqual({ by: "Ana", verdict: "rejected" });
  });
});
