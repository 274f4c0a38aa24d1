/** Messages to channels, sent for real: to HTTP servers and to a mail server on this machine. */
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { NOTICE_ATTEMPTS_MAX, NOTICE_BACKOFF_MS, NOTICE_HOLD_MS } from "@/lib/limits";
import type { NoticeDeps } from "@/lib/notices/notice-deps";
import { notifyChannels, testChannel } from "@/lib/notices/notify-channels";
import { listChannelStates } from "@/lib/notices/queries/list-channel-states";
import { queueNotices } from "@/lib/notices/transitions/queue-notices";
import { takeNotices } from "@/lib/notices/transitions/send-notices";
import { startRun } from "@/lib/runs/start-run";
import { useDatabase } from "@/lib/testing/database";
import { type EngineBench, openEngineBench } from "@/lib/testing/engine-bench";
import { type HookServer, startHookServer } from "@/lib/testing/hook-server";
import { HANG_MS } from "@/lib/testing/hang";
import { until } from "@/lib/testing/until";
import { sweepTimers } from "@/lib/runs/worker/sweep-timers";

const database = useDatabase();

const SECRET_AMOUNT = "sentinel-amount-77";
const SCRIPT = `agents:
  worker:
    turns:
      - call: [{ tool: t-none, arguments: { amount: "${SECRET_AMOUNT}" } }]
    otherwise: { output: { ended: "{{ status.t-none }}" } }
`;
const ORIGIN = "https://kimitsu.example";
const KEY = `whsec_${Buffer.from("sentinel-signing-key").toString("base64")}`;

interface NoticeBench extends EngineBench {
  notices: NoticeDeps;
  notify(): Promise<void>;
}

/** Events count from the moment it is open; none before that do. */
async function open(
  channels: string,
  {
    rule = "reason: big",
    env = {},
    smtp,
    workflow,
  }: { rule?: string; env?: Record<string, string>; smtp?: string; workflow?: string } = {},
): Promise<NoticeBench> {
  const policy = `env:\n${
    Object.keys(env)
      .map((name) => `  - { name: ${name}, secret: true }`)
      .join("\n") || "  []"
  }\ngroups: { finance: {}, leads: {} }\nchannels:\n${channels}`;
  const bench = await openEngineBench(database, {
    script: SCRIPT,
    allowlist: `- name: t-none\n  require_approval: { ${rule} }`,
    files: { "policy.yaml": policy },
    env,
    ...(workflow && { workflow }),
  });
  const { db, now, projects, fetch, processEnv } = bench.deps;
  const notices: NoticeDeps = {
    db,
    now,
    projects,
    fetch,
    processEnv,
    origin: ORIGIN,
    mail: { url: smtp, from: "Kimitsu <kimitsu@kimitsu.example>" },
  };
  const noticeBench = { ...bench, notices, notify: () => notifyChannels(notices) };
  // An open transaction anywhere on the server delays the reader. So events of earlier tests are read first, for no
  // channel.
  await until(async () => (await queueNotices(db, () => [], now()), isLookedThrough()), {
    what: "a look at all that happened before",
    isDone: (isAll) => isAll,
  });
  return noticeBench;
}

async function isLookedThrough(): Promise<boolean> {
  const [seen] = await database.db.$queryRaw<{ isAll: boolean }[]>`
    SELECT coalesce((SELECT (value ->> 'tx')::bigint FROM settings WHERE key = 'notices.place') > (SELECT max(tx) FROM journal), NOT EXISTS (SELECT FROM journal)) AS "isAll"`;
  return seen!.isAll;
}

/** Transactions of other tests on the same server may delay the reader for a moment. */
const notifyUntil = <T>(noticeBench: NoticeBench, read: () => T[], count: number): Promise<T[]> =>
  until(async () => (await noticeBench.notify(), read()), {
    what: `${count} messages`,
    isDone: (seen) => seen.length >= count,
  });

const slack = (name: string) => `  - { name: ${name}, type: slack, url: "{{ env.SLACK }}" }\n`;
const hook = (name: string, events: string) =>
  `  - { name: ${name}, type: webhook, url: "{{ env.HOOK }}", secret: "{{ env.KEY }}", events: [${events}] }\n`;
const bodies = ({ received }: HookServer) => received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe("chat", () => {
  test("a waiting call is announced once, with a link and without its arguments", async () => {
    const target = await startHookServer();
    const noticeBench = await open(slack("once"), { env: { SLACK: target.url } });
    const runId = await noticeBench.launch();
    const [approval] = await noticeBench.pending(runId);
    await notifyUntil(noticeBench, () => target.received, 1);
    await noticeBench.notify();
    expect(target.received).toHaveLength(1);
    expect(bodies(target)[0]).toMatchObject({
      text: "A call waits for a decision",
      blocks: [
        { type: "header" },
        {
          type: "section",
          text: { type: "plain_text", text: "recorder.t-none (high)\nAgent worker in workflow main" },
        },
        { elements: [{ url: `${ORIGIN}/inbox/${approval!.id}` }] },
      ],
    });
    expect(target.received[0]!.body).not.toContain(SECRET_AMOUNT);
    const kept = await database.db.notice.findMany({ where: { channel: "once" } });
    expect(kept).toMatchObject([{ outcome: "sent", attempts: 1, lastError: null }]);
    expect(JSON.stringify(kept)).not.toContain(SECRET_AMOUNT);
  });

  test("several at once are one message", async () => {
    let isAway = true;
    const target = await startHookServer(() => (isAway ? 503 : 200));
    const noticeBench = await open(slack("several"), { env: { SLACK: target.url } });
    for (let count = 0; count < 3; count += 1) await noticeBench.launch();
    const waiting = () => database.db.notice.count({ where: { channel: "several" } });
    await until(async () => (await noticeBench.notify(), waiting()), {
      what: "three messages",
      isDone: (count) => count === 3,
    });
    isAway = false;
    noticeBench.clock.advance(NOTICE_BACKOFF_MS);
    await noticeBench.notify();
    expect(bodies(target).at(-1)).toMatchObject({
      text: "3 calls wait for a decision",
      blocks: [{}, {}, { elements: [{ url: `${ORIGIN}/inbox` }] }],
    });
    expect(await database.db.notice.count({ where: { channel: "several", outcome: "sent" } })).toBe(3);
  });

  test("an unreachable channel is tried again later, and gets nothing about calls decided by then", async () => {
    let isAway = true;
    const target = await startHookServer(() => (isAway ? 503 : 200));
    const noticeBench = await open(slack("away"), { env: { SLACK: target.url } });
    const decided = (await noticeBench.pending(await noticeBench.launch()))[0]!;
    await notifyUntil(noticeBench, () => target.received, 1);
    await noticeBench.notify();
    expect(target.received).toHaveLength(1);
    expect(await listChannelStates(database.db, ["away"])).toMatchObject([
      { waiting: 1, sentAt: null, failure: { error: "It answered 503.", isGivenUp: false } },
    ]);
    await noticeBench.decide(decided, "approved");
    const open1 = (await noticeBench.pending(await noticeBench.launch()))[0]!;
    isAway = false;
    noticeBench.clock.advance(NOTICE_BACKOFF_MS);
    await notifyUntil(noticeBench, () => target.received, 2);
    expect(target.received).toHaveLength(2);
    expect(target.received[1]!.body).toContain(open1.id);
    expect(target.received[1]!.body).not.toContain(decided.id);
    const rows = await database.db.notice.findMany({ where: { channel: "away" }, orderBy: { id: "asc" } });
    expect(rows.map(({ outcome }) => outcome)).toEqual(["not_needed", "sent"]);
    expect(await listChannelStates(database.db, ["away"])).toMatchObject([{ waiting: 0, failure: null }]);
  });

  test("a refusal is final and says so, without the address, which is a secret", async () => {
    const target = await startHookServer(() => 404);
    const noticeBench = await open(slack("gone"), { env: { SLACK: `${target.url}/sentinel-slack-path` } });
    await noticeBench.launch();
    await notifyUntil(noticeBench, () => target.received, 1);
    expect(await listChannelStates(database.db, ["gone"])).toMatchObject([
      { waiting: 0, failure: { error: "It answered 404.", isGivenUp: true } },
    ]);
    const unset = await open(slack("unset"), { env: { SLACK: "" } });
    await expect(testChannel(unset.notices, "unset", { name: "Ana", email: "ana@example.org" })).rejects.toThrow(
      "SLACK of policy.yaml has no value; set it where this process runs, or in the environment file.",
    );
    const secret = await open(slack("closed"), { env: { SLACK: "http://127.0.0.1:9/sentinel-slack-path" } });
    await expect(testChannel(secret.notices, "closed", { name: "Ana", email: "ana@example.org" })).rejects.toThrow(
      /^It cannot be reached \(ECONNREFUSED\)\.$/,
    );
  });

  test("Retry-After is respected, and after enough tries a message is given up", async () => {
    const target = await startHookServer(() => ({ status: 429, headers: { "retry-after": "3600" } }));
    const noticeBench = await open(slack("busy"), { env: { SLACK: target.url } });
    await noticeBench.launch();
    await notifyUntil(noticeBench, () => target.received, 1);
    noticeBench.clock.advance(3_599_000);
    await noticeBench.notify();
    expect(target.received).toHaveLength(1);
    for (let tries = 1; tries < NOTICE_ATTEMPTS_MAX; tries += 1) {
      noticeBench.clock.advance(3_600_000);
      await noticeBench.notify();
    }
    expect(target.received).toHaveLength(NOTICE_ATTEMPTS_MAX);
    expect(await database.db.notice.findMany({ where: { channel: "busy" } })).toMatchObject([
      { outcome: "failed", attempts: NOTICE_ATTEMPTS_MAX, lastError: "It answered 429." },
    ]);
  });
});

describe("several processes", () => {
  test("send it once", async () => {
    const target = await startHookServer();
    const noticeBench = await open(slack("shared"), { env: { SLACK: target.url } });
    await noticeBench.launch();
    await until(
      async () => (await Promise.all(Array.from({ length: 8 }, () => noticeBench.notify())), target.received),
      { what: "a message", isDone: (seen) => seen.length > 0 },
    );
    await Promise.all(Array.from({ length: 8 }, () => noticeBench.notify()));
    expect(target.received).toHaveLength(1);
  });

  test("when one took a message and died, another sends it", async () => {
    const target = await startHookServer();
    const noticeBench = await open(hook("orphan", "approval.requested"), { env: { HOOK: target.url, KEY } });
    await noticeBench.launch();
    await database.db.notice.deleteMany({ where: { channel: "orphan" } });
    await database.db.notice.create({
      data: {
        id: "ntc_orphan",
        channel: "orphan",
        eventId: "evt_orphan",
        type: "run.failed",
        facts: { at: noticeBench.clock.now().toISOString(), runId: "run_1", workflow: "main" },
        dueAt: noticeBench.clock.now(),
      },
    });
    expect(
      await takeNotices(database.db, { channel: "orphan", holdMs: NOTICE_HOLD_MS, limit: 1 }, noticeBench.clock.now()),
    ).toHaveLength(1);
    const isSent = () => target.received.some(({ headers }) => headers["webhook-id"] === "ntc_orphan");
    await noticeBench.notify();
    expect(isSent()).toBe(false);
    noticeBench.clock.advance(NOTICE_HOLD_MS);
    await noticeBench.notify();
    expect(isSent()).toBe(true);
  });
});

describe("a program", () => {
  test("gets each event by itself, signed, with ids and no arguments", async () => {
    const target = await startHookServer();
    const noticeBench = await open(
      hook("program", "approval.requested, approval.decided, approval.expired, approval.escalated, run.failed"),
      { env: { HOOK: target.url, KEY }, rule: "timeout: 30m, escalate: { after: 10m, to: [leads] }" },
    );
    const first = await noticeBench.launch();
    const [approval] = await noticeBench.pending(first);
    await noticeBench.decide(approval!, "rejected", { reason: "sentinel-reason" });
    await noticeBench.advance(first);
    const second = await noticeBench.launch();
    noticeBench.clock.advance(11 * 60_000);
    await sweepTimers(noticeBench.deps, () => undefined);
    noticeBench.clock.advance(30 * 60_000);
    await sweepTimers(noticeBench.deps, () => undefined);
    await notifyUntil(noticeBench, () => target.received, 3);
    const sent = bodies(target);
    // Both approvals had ended before anything was sent, so nobody is asked to answer them.
    expect(sent.map(({ type }) => type)).toEqual(["approval.decided", "run.failed", "approval.expired"]);
    expect(sent[0]).toEqual({
      id: expect.stringMatching(/^ntc_/),
      type: "approval.decided",
      at: expect.any(String),
      channel: "program",
      url: `${ORIGIN}/inbox/${approval!.id}`,
      run: { id: first, workflow: "main" },
      call: { id: approval!.callId, agent: "worker", server: "recorder", tool: "t-none", danger: "high" },
      approval: { id: approval!.id, approvers: [], expires_at: expect.any(String) },
      decision: { by: expect.any(String), verdict: "rejected" },
      error_code: null,
    });
    expect(sent[1]).toMatchObject({ error_code: "call_rejected", run: { id: first } });
    expect(sent[2]).toMatchObject({ run: { id: second } });
    for (const { body, headers } of target.received) {
      expect(headers["webhook-signature"]).toBe(
        new Webhook(KEY).sign(
          String(headers["webhook-id"]),
          new Date(Number(headers["webhook-timestamp"]) * 1000),
          body,
        ),
      );
      expect(body).not.toMatch(/sentinel/);
    }
  });

  test("gets nothing from before it was opened, even when an open transaction delayed the reader until then", async () => {
    const target = await startHookServer();
    const [isHeld, isFree] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const before = await open("  []");
    const holding = database.db.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT pg_current_xact_id()::text`;
        isHeld.resolve();
        await isFree.promise;
      },
      { timeout: HANG_MS },
    );
    await isHeld.promise;
    await before.launch();
    isFree.resolve();
    await holding;
    const noticeBench = await open(hook("later", "approval.requested"), { env: { HOOK: target.url, KEY } });
    const runId = await noticeBench.launch();
    await notifyUntil(noticeBench, () => target.received, 1);
    expect(bodies(target)).toMatchObject([{ run: { id: runId } }]);
  });

  test("is notified of unknown outcomes and of answers that wait for a review", async () => {
    const [target, silent] = [await startHookServer(), await startHookServer(() => "hang-up")];
    const noticeBench = await open(hook("review", "call.outcome_unknown, run.needs_human_review"), {
      env: { HOOK: target.url, KEY },
      workflow: `kind: workflow\nname: main\npipeline:\n  - { id: notify, webhook: { url: "${silent.url}", body: { text: "sentinel-body" } } }\n`,
    });
    const runId = await noticeBench.launch();
    await notifyUntil(noticeBench, () => target.received, 2);
    expect(bodies(target)).toMatchObject([
      {
        type: "call.outcome_unknown",
        url: `${ORIGIN}/history/${runId}`,
        call: { server: "kimitsu/webhook", tool: "POST", agent: null },
        approval: null,
      },
      { type: "run.needs_human_review", url: `${ORIGIN}/history/${runId}`, call: null },
    ]);
    for (const { body } of target.received) expect(body).not.toMatch(/sentinel/);
  });
});

describe("mail", () => {
  async function startMailServer() {
    const mails: { to: string[]; text: string }[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData(stream, session, done) {
        let text = "";
        stream
          .on("data", (chunk: Buffer) => (text += chunk.toString()))
          .on("end", () => {
            mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
            done();
          });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void server.close());
    const address = server.server.address();
    return { mails, url: `smtp://127.0.0.1:${typeof address === "object" && address ? address.port : 0}` };
  }

  test("goes to those who may decide, and not to the person who started the run", async () => {
    const { mails, url } = await startMailServer();
    const noticeBench = await open("  - { name: mail, type: email }\n", { smtp: url, rule: "approvers: [finance]" });
    const [member, starter] = [await noticeBench.person("reviewer"), await noticeBench.person("operator")];
    const group = await database.db.group.create({ data: { id: "grp_finance", name: "finance" } });
    await database.db.groupMember.createMany({
      data: [member, starter].map(({ userId }) => ({ groupId: group.id, userId })),
    });
    const { runId } = await startRun(noticeBench.deps, { workflow: "main", params: {}, actor: starter.actor });
    await noticeBench.advance(runId);
    const [approval] = await noticeBench.pending(runId);
    await notifyUntil(noticeBench, () => mails, 1);
    const { email } = await database.db.user.findUniqueOrThrow({ where: { id: member.userId } });
    expect(mails).toMatchObject([{ to: [email] }]);
    expect(mails[0]!.text).toContain("Subject: A call waits for a decision");
    expect(mails[0]!.text.replaceAll("=\r\n", "")).toContain(`Review in Kimitsu: ${ORIGIN}/inbox/${approval!.id}`);
    expect(mails[0]!.text).not.toContain(SECRET_AMOUNT);
  });

  test("without a mail server or a recipient reports what is missing", async () => {
    const without = await open("  - { name: nomail, type: email, to: [ops@example.org] }\n");
    await expect(testChannel(without.notices, "nomail", { name: "Ana", email: "ana@example.org" })).rejects.toThrow(
      "This deployment has no mail server; set KIMITSU_SMTP_URL.",
    );
    const { mails, url } = await startMailServer();
    const tried = await open("  - { name: trymail, type: email }\n", { smtp: url });
    await testChannel(tried.notices, "trymail", { name: "Ana", email: "ana@example.org" });
    expect(mails).toMatchObject([
      { to: ["ana@example.org"], text: expect.stringContaining("Ana tried the channel trymail") },
    ]);
    await expect(testChannel(tried.notices, "other", { name: "Ana", email: "ana@example.org" })).rejects.toThrow(
      "policy.yaml has no channel other that could be tried.",
    );
  });
});
