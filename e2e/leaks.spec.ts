/**
 * Secrets of every kind are planted, every feature is exercised, and then everything that was stored, written or
 * answered is searched for them in every form. A value not marked secret must be found, or the search does not work.
 */
import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { createProgram } from "@/lib/cli/program";
import { startTraceCollector } from "@/lib/testing/trace-collector";
import { expect, test } from "./fixtures";
import { ask } from "./leaks/ask";
import { driveClient } from "./leaks/drive-client";
import { driveCommands } from "./leaks/drive-commands";
import { driveRuns, type Tokens } from "./leaks/drive-runs";
import { startGivingBack } from "./leaks/giving-back";
import { createListener, type Listener } from "./leaks/listen";
import { startMailServer } from "./leaks/mail-server";
import { type OwnApp, startOwnApp } from "./leaks/own-app";
import { leakProject, makeSecrets } from "./leaks/project";
import { readApi, readConsole } from "./leaks/read-api";
import { readDatabase } from "./leaks/read-database";
import { readPages, record, tryChannels } from "./leaks/read-pages";
import { search, type Place } from "./leaks/search";
import { findUnread } from "./leaks/unread";
import { waysToFail } from "./leaks/ways-to-fail";
import { ConsolePage } from "./pages/console-page";
import { SignInPage } from "./pages/sign-in-page";
import { verifies } from "./requirements";

/** Not marked secret: it must be found wherever stored values are shown. */
const CONTROL = `control-${randomBytes(8).toString("hex")}`;
const CRASHED_WITH = ["SVC_TOKEN", "PROVIDER_KEY", "AUTH_SECRET"];
/**
 * Of the command line: not what starts everything, which is what this test does itself, and not what prints the
 * database's address.
 */
const NOT_DRIVEN = ["start", "database-url"];

test(
  verifies(
    "leaks:none",
    "of all secrets that were planted, none is in the database, the logs of any process, what errors say that nobody caught, the traces, any answer, any stream, any page, any message, the browser's storage or any file",
  ),
  async ({ browser }) => {
    test.setTimeout(1_800_000);
    const variables = makeSecrets();
    const own = {
      pin: `snt-pin-${randomBytes(6).toString("hex")}/+&"~`,
      literal: `snt-literal-${randomBytes(6).toString("hex")}/+&`,
      plainKey: `snt-plain-key-${randomBytes(6).toString("hex")}/+&`,
      plainSignature: `snt-plain-signature-${randomBytes(6).toString("hex")}/+&`,
      reviewerPassword: `snt-reviewer-${randomBytes(6).toString("hex")}/+&"~`,
      mailPassword: `snt-mail-${randomBytes(6).toString("hex")}/+&"~`,
    };
    const named = `snt-named-${randomBytes(6).toString("hex")}`;
    const { ways } = waysToFail(variables.SVC_TOKEN);
    const givingBack = await startGivingBack(() => [
      ...Object.values(variables),
      own.mailPassword,
      own.plainKey,
      own.plainSignature,
    ]);
    const collector = await startTraceCollector();
    const mail = await startMailServer({ user: "kimitsu", password: own.mailPassword });
    const app = await startOwnApp(
      leakProject(givingBack.places, {
        SVC_TOKEN: variables.SVC_TOKEN,
        literal: own.literal,
        plainKey: own.plainKey,
        plainSignature: own.plainSignature,
        named,
      }),
      {
        ...variables,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        AUTH_GITHUB_ID: "github-client",
        KIMITSU_ADMIN_EMAIL: "admin@example.test",
        KIMITSU_SMTP_URL: mail.url,
      },
    );
    try {
      const places: Place[] = [];
      const tokens = await makePeople(app, own.reviewerPassword);
      const context = await browser.newContext({ baseURL: app.url });
      const seen = record(context, places);
      const page = await context.newPage();
      await signIn(page, "admin@example.test", variables.KIMITSU_ADMIN_PASSWORD);
      const session = (await context.cookies()).find(({ name }) => name === "authjs.session-token")?.value ?? "";
      const cookie = `authjs.session-token=${session}`;
      const driven = {
        tokens,
        places,
        params: { pin: own.pin, note: CONTROL },
        invokeSecret: variables.INVOKE_SECRET,
        ways,
      };

      // First the web process advances the runs itself, and the mail server refuses it.
      mail.will("refuse-sign-in");
      givingBack.layOut();
      const alone = createListener();
      await listenToConsole(alone, app, cookie);
      const byWeb = await driveRuns(app, { ...driven, listener: alone });
      const clientToken = await driveClient(app, { secret: variables.SVC_TOKEN, named }, places);
      await expect
        .poll(() => app.db.notice.count({ where: { channel: "letters", outcome: "failed" } }))
        .toBeGreaterThan(0);
      await untilHeard(alone, byWeb);
      await alone.close();

      // Then separate workers do, while the web process only answers; one after another crashes, and the next
      // continues.
      await app.stop();
      mail.will("take");
      givingBack.layOut();
      const workers = [await app.startWorker()];
      await app.start({ KIMITSU_WORKERS: "0" });
      const beside = createListener();
      await listenToConsole(beside, app, cookie);
      const byWorkers = await driveRuns(app, { ...driven, listener: beside });
      for (const [address, token] of [
        ["/healthz", undefined],
        ["/metrics", tokens.admin],
        ["/metrics", `${tokens.admin}x`],
        ["/metrics", undefined],
      ] as const) {
        const { status, text } = await ask(
          { ...app, url: workers[0]!.url },
          places,
          "GET",
          address,
          token ? { token } : {},
        );
        places.push({ name: `worker's answer ${address} ${status}`, text });
      }
      await untilHeard(beside, byWorkers);
      expect(await workers[0]!.crash("thrown", CRASHED_WITH)).toBe(1);
      workers.push(await app.startWorker());
      expect(await workers[1]!.crash("rejected", CRASHED_WITH)).toBe(1);
      workers.push(await app.startWorker());

      await readApi(app, tokens.admin, byWorkers, places);
      await readConsole(app, cookie, byWorkers, places);
      await readPages(page, app, { runs: [byWeb, byWorkers], search: CONTROL }, places);
      await tryChannels(page, mail, places);
      const commands = await driveCommands(app, { runs: byWorkers, mail, tool: "recorder.echo" }, places);
      await seen();
      await context.close();
      await beside.close();

      // A secret that was never sent could not have come back.
      const received = await givingBack.received();
      for (const secret of [variables.SVC_TOKEN, variables.HOOK_KEY, variables.PROVIDER_KEY, own.pin, own.literal])
        expect(search([{ name: "servers", text: received }], { secret })).not.toEqual([]);
      expect(mail.signedIn).toContainEqual({ user: "kimitsu", password: own.mailPassword });

      // Messages to channels are sent by the worker, a moment after the event.
      await expect.poll(() => givingBack.told()).toContain('"type":"run.failed"');
      await expect
        .poll(() => app.db.notice.count({ where: { channel: "refusing", lastError: { not: null } } }))
        .toBeGreaterThan(0);
      await expect
        .poll(() =>
          mail
            .mails()
            .map(({ text }) => text)
            .join("\n"),
        )
        .toContain("A run of hook-fails failed");
      for (const secret of [own.pin, CONTROL])
        expect(
          search([{ name: "told", text: givingBack.told() }, ...mail.mails()], { secret }),
          "arguments and params in messages",
        ).toEqual([]);

      await app.untilProjected();
      const database = await readDatabase(app.db);
      await app.fault(CRASHED_WITH);
      await workers[2]!.stop();
      await app.stop();
      const logs = { name: "logs", text: app.lines.join("\n") };
      const spoken = workers.map(({ lines }, index) => ({ name: `worker ${index + 1}`, text: lines.join("\n") }));
      const traces = { name: "traces", text: collector.text() };
      const streams = [...alone.heard(), ...beside.heard()];
      const all = [
        ...places,
        ...database,
        logs,
        ...spoken,
        traces,
        ...streams,
        ...mail.mails(),
        { name: "told", text: givingBack.told() },
        ...app.files(),
      ];
      const password = decodeURIComponent(new URL(app.env.DATABASE_URL!).password);
      const secrets = {
        ...variables,
        ...own,
        ...tokens,
        clientToken,
        session,
        ...(password.length >= 8 ? { databasePassword: password } : {}),
      };
      expect(Object.values(secrets).every((secret) => secret.length >= 8)).toBe(true);

      expect.soft(search(all, secrets)).toEqual([]);
      // What only its name marks is sent, so the call and the turn that asked for it keep it, and the changes that they are
      // made of; nothing shows it.
      const kept = /^table (calls|turns)$|^changes in journal/;
      expect
        .soft(
          search(
            all.filter(({ name }) => !kept.test(name)),
            { named },
          ),
        )
        .toEqual([]);

      // What was exercised, and that it was received.
      expect(findUnread(all), "pages and addresses that nobody opened").toEqual([]);
      expect(
        createProgram()
          .commands.map((command) => command.name())
          .filter((name) => !NOT_DRIVEN.includes(name) && !commands.has(name)),
        "commands that nobody gave",
      ).toEqual([]);
      expect(logs.text, "what the log says of each answer").toContain('"operation":"settleCall"');
      for (const span of ["execute_tool echo", "invoke_workflow main", "await_approval "])
        expect(traces.text, "what the collector got").toContain(span);
      expect(logs.text, "which token asked, by its id").toMatch(/"token_id":"tok_\w+"/);
      for (const { name, text } of spoken) expect(text, name).toContain("worker started");
      for (const { name, text } of spoken.slice(0, 2)) expect(text, name).toContain("nobody caught");
      expect(spoken[0]!.text, "what a worker says of a channel that refuses").toContain('"channel":"refusing"');
      const workersSeen = new Set(
        collector
          .spans()
          .filter(({ name }) => name === "invoke_workflow main")
          .map(({ instance }) => instance),
      );
      expect(workersSeen.size, "processes that traced the advance of runs").toBeGreaterThanOrEqual(2);
      const kinds = (wanted: string) => new Set(search(all, { wanted }).map(({ place }) => place.split(" ")[0]));
      expect([...kinds(CONTROL)]).toEqual(expect.arrayContaining(["answer", "page", "table"]));
      expect([...kinds(byWorkers.main)], "what must be found where runs are spoken of").toEqual(
        expect.arrayContaining(["answer", "page", "table", "traces", "stream", "told", "command"]),
      );
      expect([...kinds(`${app.url}/inbox`)], "where a letter leads").toContain("mail");
    } finally {
      await app.remove();
      await givingBack.close();
      await collector.close();
      await mail.close();
    }
  },
);

async function makePeople(app: OwnApp, password: string): Promise<Tokens> {
  const make = async (email: string, role: string, secret?: string) => {
    const made = await app.cli([
      "user",
      "create",
      "--email",
      email,
      "--role",
      role,
      ...(secret ? ["--password", secret] : []),
      "--json",
    ]);
    expect(made.code, made.stderr).toBe(0);
  };
  await make("reviewer@example.test", "reviewer", password);
  await make("operator@example.test", "operator");
  const token = async (user: string, scopes: string) => {
    const made = await app.cli([
      "token",
      "create",
      "--name",
      `of ${user}`,
      "--user",
      user,
      "--scopes",
      scopes,
      "--json",
    ]);
    expect(made.code, made.stderr).toBe(0);
    return (JSON.parse(made.stdout.trim().split("\n").at(-1) ?? "{}") as { token: string }).token;
  };
  return {
    admin: await token(
      "admin@example.test",
      "runs:read,runs:write,approvals:read,approvals:decide,registry:read,audit:read,admin",
    ),
    reviewer: await token("reviewer@example.test", "runs:read,approvals:read,approvals:decide"),
    operator: await token("operator@example.test", "runs:read,runs:write,approvals:read"),
  };
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  const form = new SignInPage(page);
  await form.open();
  await form.signIn(email, `${password}x`);
  await form.expectRefusal("E-mail or password is not right");
  await form.open();
  await form.signIn(email, password);
  await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
}

/** The live connections of open pages: of the inbox, of desktop notifications, of the number beside its name. */
async function listenToConsole(listener: Listener, app: OwnApp, cookie: string): Promise<void> {
  for (const purpose of ["", "?for=notices", "?for=count"]) {
    const line = await listener.open(`of the console ${purpose}`, `${app.url}/live/inbox${purpose}`, { cookie }, true);
    expect(line.headers.get("content-type")).toContain("text/event-stream");
  }
}

/** The last events arrive a moment later. */
async function untilHeard(
  listener: Listener,
  { main, edited, failed, approvalId }: { main: string; edited: string; failed: string; approvalId: string },
): Promise<void> {
  const heardOf = (line: string) =>
    listener
      .heard()
      .filter(({ name }) => name.includes(line))
      .map(({ text }) => text)
      .join("\n");
  const wanted = [
    [main, "event: run.completed"],
    [edited, "event: approval.requested"],
    [failed, "event: run.failed"],
    ["console ", approvalId],
    ["?for=notices", approvalId],
    ["?for=count", "event: count"],
  ] as const;
  for (const [line, text] of wanted)
    await expect.poll(() => heardOf(line), { message: `heard on ${line}` }).toContain(text);
}
