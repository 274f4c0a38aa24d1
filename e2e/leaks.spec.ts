/**
 * Secrets of every kind are planted, everything that exists is driven, and then everything that was kept, said or answered is searched for
 * them in every form. What is searched for and not marked secret must be found, or the search is blind.
 */
import { randomBytes } from "node:crypto";
import type { BrowserContext, Page, Request } from "@playwright/test";
import { dumpDatabase } from "@/lib/testing/dump-database";
import { exampleOf } from "@/lib/testing/example-of";
import { startTraceCollector } from "@/lib/testing/trace-collector";
import { expect, test } from "./fixtures";
import { startGivingBack } from "./leaks/giving-back";
import { type OwnApp, startOwnApp } from "./leaks/own-app";
import { leakProject, makeSecrets } from "./leaks/project";
import { formsOf, type Place, search } from "./leaks/search";
import { ConsolePage } from "./pages/console-page";
import { SignInPage } from "./pages/sign-in-page";
import { PLACES, PUBLIC_PLACES } from "./places";
import { verifies } from "./requirements";

type Answer = { status: number; text: string; json: Record<string, unknown> };
type Document = { paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Record<string, unknown> }> } }>> } & Record<string, unknown>;

/** Not marked secret: it must be found wherever what is kept is shown. */
const CONTROL = `control-${randomBytes(8).toString("hex")}`;

test("the search finds a secret in each of its forms, wherever it stands", () => {
  const secret = 'snt-self-0a1b/+&"~';
  for (const [form, text] of formsOf(secret)) {
    expect(search([{ name: "here", text: `before ${text} after` }], { self: secret }).map((hit) => hit.form), form).toContain(form);
  }
  for (const before of ["", "x", "xy"]) expect(search([{ name: "here", text: Buffer.from(`${before}${secret}tail`).toString("base64") }], { self: secret })).not.toEqual([]);
  expect(search([{ name: "here", text: "nothing of it" }], { self: secret })).toEqual([]);
});

test(verifies("leaks:none", "of all secrets that were planted, none is in the database, the logs, what errors say that nobody caught, the traces, any answer, any page, the browser's storage or any file"), async ({ browser }) => {
  test.setTimeout(900_000);
  const variables = makeSecrets();
  const own = { pin: `snt-pin-${randomBytes(6).toString("hex")}/+&"~`, literal: `snt-literal-${randomBytes(6).toString("hex")}/+&`, reviewerPassword: `snt-reviewer-${randomBytes(6).toString("hex")}/+&"~` };
  const named = `snt-named-${randomBytes(6).toString("hex")}`;
  const givingBack = await startGivingBack(() => Object.values(variables));
  const collector = await startTraceCollector();
  const app = await startOwnApp(leakProject(givingBack.places, { SVC_TOKEN: variables.SVC_TOKEN, literal: own.literal, named }), { ...variables, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, AUTH_GITHUB_ID: "github-client", KIMITSU_ADMIN_EMAIL: "admin@example.test" });
  try {
    const places: Place[] = [];
    const tokens = await makePeople(app, own.reviewerPassword);
    const context = await browser.newContext({ baseURL: app.url });
    const seen = record(context, places);
    const page = await context.newPage();
    await signIn(page, "admin@example.test", variables.KIMITSU_ADMIN_PASSWORD);

    const runs = await driveRuns(app, tokens, { places, pin: own.pin, invokeSecret: variables.INVOKE_SECRET });
    await readApi(app, tokens.admin, runs, places);
    await readPages(page, app, runs, places);
    await driveCommands(app, runs, places);
    const session = (await context.cookies()).find(({ name }) => name === "authjs.session-token")?.value ?? "";
    await seen();
    await context.close();

    // A secret that never left could not have come back.
    const received = await givingBack.received();
    for (const secret of [variables.SVC_TOKEN, variables.HOOK_KEY, variables.PROVIDER_KEY, own.pin, own.literal]) expect(search([{ name: "servers", text: received }], { secret })).not.toEqual([]);

    // What channels are told is sent by itself, a moment after it happened.
    await expect.poll(() => givingBack.told(), { timeout: 30_000 }).toContain('"type":"run.failed"');
    await expect.poll(() => app.db.notice.count({ where: { channel: "refusing", lastError: { not: null } } }), { timeout: 30_000 }).toBeGreaterThan(0);
    for (const secret of [own.pin, CONTROL]) expect(search([{ name: "told", text: givingBack.told() }], { secret }), "arguments and params in messages").toEqual([]);

    const database = Object.entries(await dumpDatabase(app.db)).map(([table, text]) => ({ name: `table ${table}`, text: `${text}\n${readBytes(text)}` }));
    await app.stumble(["SVC_TOKEN", "PROVIDER_KEY", "AUTH_SECRET"]);
    await app.stop();
    const logs = { name: "logs", text: app.lines.join("\n") };
    const traces = { name: "traces", text: collector.text() };
    const all = [...places, ...database, logs, traces, ...app.files()];
    const password = decodeURIComponent(new URL(app.env.DATABASE_URL!).password);
    const secrets = { ...variables, ...own, ...tokens, session, ...(password.length >= 8 ? { databasePassword: password } : {}) };
    expect(Object.values(secrets).every((secret) => secret.length >= 8)).toBe(true);

    expect(logs.text, "what the log says of each answer").toContain('"operation":"settleCall"');
    for (const span of ["execute_tool echo", "invoke_workflow main", "await_approval "]) expect(traces.text, "what the collector got").toContain(span);
    expect(logs.text, "which token asked, by its id").toMatch(/"token_id":"tok_\w+"/);
    const control = new Set(search(all, { control: CONTROL }).map(({ place }) => place.split(" ")[0]));
    expect([...control]).toEqual(expect.arrayContaining(["answer", "page", "table"]));
    expect.soft(search(all, secrets)).toEqual([]);
    // What only its name marks is sent, so the call and the turn that asked for it keep it; nothing shows it.
    const kept = new Set(["table calls", "table turns"]);
    expect.soft(search(all.filter(({ name }) => !kept.has(name)), { named })).toEqual([]);
  } finally {
    await app.remove();
    await givingBack.close();
    await collector.close();
  }
});

/** Columns of bytes are dumped in hexadecimal; what they hold as text is searched too. */
function readBytes(dump: string): string {
  return [...dump.matchAll(/\\x([0-9a-f]{16,})/g)].map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1")).join("\n");
}

async function makePeople(app: OwnApp, password: string) {
  const make = async (email: string, role: string, secret?: string) => {
    const made = await app.cli(["user", "create", "--email", email, "--role", role, ...(secret ? ["--password", secret] : []), "--json"]);
    expect(made.code, made.stderr).toBe(0);
  };
  await make("reviewer@example.test", "reviewer", password);
  await make("operator@example.test", "operator");
  const token = async (user: string, scopes: string) => {
    const made = await app.cli(["token", "create", "--name", `of ${user}`, "--user", user, "--scopes", scopes, "--json"]);
    expect(made.code, made.stderr).toBe(0);
    return (JSON.parse(made.stdout.trim().split("\n").at(-1) ?? "{}") as { token: string }).token;
  };
  return {
    admin: await token("admin@example.test", "runs:read,runs:write,approvals:read,approvals:decide,registry:read,audit:read,admin"),
    reviewer: await token("reviewer@example.test", "runs:read,approvals:read,approvals:decide"),
    operator: await token("operator@example.test", "runs:read,runs:write,approvals:read"),
  };
}

/** Keeps every answer that the browser gets, and what its pages hold. */
function record(context: BrowserContext, places: Place[]): () => Promise<void> {
  const waiting: Promise<void>[] = [];
  const files = new Set<string>();
  const read = async (request: Request) => {
    const response = await request.response();
    const { "set-cookie": _cookie, ...headers } = response?.headers() ?? {};
    if (String(headers["content-type"]).startsWith("text/event-stream")) return;
    const body = await response?.text().catch(() => "");
    places.push({ name: `answer ${request.method()} ${request.url()}`, text: `${JSON.stringify(headers)}\n${body}` });
  };
  // Of an answer that the page gave up, as it does when it is left, no text ever comes.
  context.on("requestfinished", (request) => {
    // Scripts and styles are the same each time.
    const isFile = request.url().includes("/_next/static/");
    if (isFile && files.has(request.url())) return;
    if (isFile) files.add(request.url());
    waiting.push(read(request));
  });
  return async () => void (await Promise.all(waiting));
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  const form = new SignInPage(page);
  await form.open();
  await form.signIn(email, `${password}x`);
  await form.expectRefusal("E-mail or password is not right");
  await form.open();
  await form.signIn(email, password);
  await expect(new ConsolePage(page).heading("Inbox")).toBeVisible({ timeout: 60_000 });
}

async function ask(app: OwnApp, places: Place[], method: string, address: string, facts: { token?: string; body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> {
  const body = facts.body === undefined ? undefined : typeof facts.body === "string" ? facts.body : JSON.stringify(facts.body);
  const response = await fetch(app.url + address, {
    method,
    redirect: "manual",
    signal: AbortSignal.timeout(60_000),
    headers: { ...(facts.token ? { authorization: `Bearer ${facts.token}` } : {}), ...(body === undefined ? {} : { "content-type": "application/json" }), ...facts.headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  places.push({ name: `answer ${method} ${address}`, text: `${JSON.stringify(Object.fromEntries(response.headers))}\n${text}` });
  return { status: response.status, text, json: text.startsWith("{") && !text.includes("\n{") ? (JSON.parse(text) as Record<string, unknown>) : {} };
}

interface Facts {
  places: Place[];
  pin: string;
  invokeSecret: string;
}

/** Runs that end well, are rejected, fail in each way, are cancelled and retried; and requests that are wrong in each way. */
async function driveRuns(app: OwnApp, tokens: Record<"admin" | "reviewer" | "operator", string>, { places, pin, invokeSecret }: Facts) {
  const post = (address: string, body: unknown, token = tokens.operator, headers = {}) => ask(app, places, "POST", address, { token, body, headers });
  const start = async (workflow: string, params: object = {}) => {
    const { status, json, text } = await post("/runs", { workflow, params }, tokens.operator, { "idempotency-key": randomBytes(8).toString("hex") });
    expect(status, text).toBe(202);
    return String(json.run_id);
  };
  const until = async (runId: string, status: string) => {
    await expect.poll(async () => (await app.db.run.findUniqueOrThrow({ where: { id: runId } })).status, { message: `run ${runId} is ${status}`, timeout: 60_000 }).toBe(status);
  };

  const main = await start("main", { pin, note: CONTROL });
  await until(main, "pending_approval");
  await post(`/runs/${main}/approve`, { comment: "fine" }, tokens.reviewer);
  await until(main, "needs_human_review");
  const unknown = await app.db.call.findFirstOrThrow({ where: { runId: main, status: "outcome_unknown" } });
  await post(`/calls/${unknown.id}/settle`, { outcome: "happened", result: "it did" }, tokens.admin);
  await until(main, "complete");

  const rejected = await start("main", { pin, note: CONTROL });
  await until(rejected, "pending_approval");
  await post(`/runs/${rejected}/reject`, { reason: "no" }, tokens.reviewer);
  await until(rejected, "needs_human_review");
  await post(`/runs/${rejected}/cancel`, { reason: "enough" });
  // Nobody retries what may have happened: the call is settled first.
  const left = await app.db.call.findFirstOrThrow({ where: { runId: rejected, status: "outcome_unknown" } });
  expect((await post(`/runs/${rejected}/retry`, { secrets: { pin } })).status).toBe(409);
  await post(`/calls/${left.id}/settle`, { outcome: "failed", comment: "given up" }, tokens.admin);
  await post(`/runs/${rejected}/retry`, {});
  const { json } = await post(`/runs/${rejected}/retry`, { secrets: { pin } });
  await until(String(json.run_id), "pending_approval");

  const edited = await start("main", { pin });
  await until(edited, "pending_approval");
  const [approval] = await app.db.approval.findMany({ where: { runId: edited, status: "pending" } });
  // What is typed where it does not belong is refused, and the refusal does not repeat it.
  for (const body of [{ arguments: { note: invokeSecret } }, { comment: `it is ${invokeSecret}` }]) expect((await post(`/approvals/${approval!.id}/decide`, { decision: "approve", ...body }, tokens.reviewer)).status).toBe(422);
  await post(`/approvals/${approval!.id}/extend`, {}, tokens.reviewer);

  const failed = [await start("hook-fails"), await start("paid"), await start("paid"), await start("locked")];
  for (const runId of failed) await until(runId, "failed");
  await until(await start("paid"), "complete");

  const door = { headers: { "x-api-secret": invokeSecret } };
  expect((await ask(app, places, "POST", "/invoke/door", { ...door, body: { n: 1 } })).status).toBe(202);
  await ask(app, places, "POST", "/invoke/door", { ...door, body: { n: "x" } });
  await ask(app, places, "POST", "/invoke/door", { headers: { "x-api-secret": `${invokeSecret}x` }, body: {} });
  const wrong: unknown[] = [{ workflow: "main", params: { pin: 5 } }, { workflow: "main", params: { pin: "short" } }, { workflow: "main", params: { pin, [pin]: 1, note: invokeSecret } }, `{"workflow":"main","params":{"pin":${JSON.stringify(pin)}`, `${pin}`, `{"workflow":"main","params":{"pin":${JSON.stringify(pin)},"pin":1}}`, { pin }];
  for (const body of wrong) expect((await post("/runs", body)).status, "a wrong request").toBe(422);
  await ask(app, places, "GET", "/runs", { headers: { authorization: `Basic ${tokens.admin}` } });
  await ask(app, places, "GET", "/runs", { token: `${tokens.admin}x` });
  return { main, rejected, edited, failed: failed[0]!, approvalId: approval!.id, callId: approval!.callId };
}

type Runs = Awaited<ReturnType<typeof driveRuns>>;

/** Every documented call, with real ids and with none that exist. */
async function readApi(app: OwnApp, token: string, runs: Runs, places: Place[]): Promise<void> {
  const document = (await ask(app, places, "GET", "/openapi.json")).json as Document;
  for (const runId of [runs.main, runs.rejected, runs.edited, runs.failed, "run_none"]) {
    const ids: Record<string, string> = { runId, approvalId: runs.approvalId, callId: runs.callId, step: "work", workflow: "main" };
    for (const [path, methods] of Object.entries(document.paths)) {
      const address = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? "none");
      await ask(app, places, "GET", address, { token });
      await ask(app, places, "GET", address, { token, headers: { accept: "text/html" } });
      const schema = methods.post?.requestBody?.content["application/json"]?.schema;
      if (runId === "run_none" && schema) await ask(app, places, "POST", address, { token, body: exampleOf(schema, document) });
    }
    const events = await fetch(`${app.url}/runs/${runId}/events`, { headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }, signal: AbortSignal.timeout(3_000) }).catch(() => null);
    places.push({ name: `answer stream of ${runId}`, text: await readStream(events) });
  }
}

async function readStream(response: Response | null): Promise<string> {
  let text = "";
  try {
    for await (const piece of (response?.body ?? []) as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(piece).toString("utf8");
  } catch {
    // A run that waits has a stream without an end; what came until now is enough.
  }
  return text;
}

async function readPages(page: Page, app: OwnApp, runs: Runs, places: Place[]): Promise<void> {
  const steps = await app.db.step.findMany({ select: { id: true, runId: true } });
  const tools = await app.db.toolPin.findMany({ where: { tool: { in: ["act", "echo", "echo-headers"] } }, select: { server: true, tool: true } });
  const ofRun = (runId: string) => ["", "/steps", "/events", "/approvals", ...steps.filter((step) => step.runId === runId).map(({ id }) => `/steps/${id}`)].map((tail) => `/history/${runId}${tail}`);
  const paths = [
    ...[...PLACES, ...PUBLIC_PLACES].map(({ path }) => path),
    `/inbox/${runs.approvalId}`,
    `/history?q=${CONTROL}`,
    "/workflows/main",
    "/workflows/door",
    ...[runs.main, runs.failed].flatMap(ofRun),
    ...[runs.rejected, runs.edited].map((runId) => `/history/${runId}`),
    ...tools.map(({ server, tool }) => `/tools/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`),
  ];
  for (const path of paths) {
    await page.goto(path);
    const storage = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    places.push({ name: `page ${path}`, text: await page.content() }, { name: `storage ${path}`, text: storage });
  }
}

/** The command line says nothing either, also when it has to complain; and a start that fails leaves nothing in its last words. */
async function driveCommands(app: OwnApp, runs: Runs, places: Place[]): Promise<void> {
  const keep = (name: string, { stdout, stderr }: { stdout: string; stderr: string }) => void places.push({ name: `command ${name}`, text: `${stdout}\n${stderr}` });
  for (const args of [["runs"], ["runs", "get", runs.main], ["runs", "get", runs.failed, "--json"], ["approvals"], ["validate"], ["doctor"], ["audit", "verify"], ["tree", "main"], ["invoke", "main", "--input", "{}"]]) keep(args.join(" "), await app.cli(args));
  const away = new URL(app.env.DATABASE_URL!);
  away.port = "1";
  keep("runs without a database", await app.cli(["runs"], { DATABASE_URL: away.href }));
  keep("doctor without a database", await app.cli(["doctor"], { DATABASE_URL: away.href }));
  keep("a short AUTH_SECRET", await app.cli(["runs"], { AUTH_SECRET: app.env.AUTH_SECRET!.slice(0, 20) }));
  keep("a wrong variable", await app.cli(["runs"], { PORT: app.env.SVC_TOKEN! }));
}
