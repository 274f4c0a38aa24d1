/** An installation with small limits, overloaded over HTTP: it says so, serves others, and recovers. */
import pg from "pg";
import { scopesOf } from "@/lib/people/rules/roles";
import { createToken } from "@/lib/people/create-token";
import type { EngineDeps } from "@/lib/database/deps";
import { buildUser } from "@/lib/testing/builders";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import { sessionCookie } from "@/lib/testing/requests";
import { oneAgentProject } from "@/lib/testing/run-bench";
import { expect, required, test } from "./fixtures";
import { type OwnApp, startOwnApp } from "./leaks/own-app";
import { verifies } from "./requirements";

const SMALL = {
  KIMITSU_WORKERS: "1",
  KIMITSU_QUEUE_MAX: "2",
  KIMITSU_REQUESTS_PER_SECOND: "4",
  KIMITSU_REQUESTS_MAX: "8",
  KIMITSU_STREAMS_PER_PERSON: "2",
  KIMITSU_STREAMS_MAX: "3",
};
const SCRIPT = "agents:\n  worker:\n    turns:\n      - call: [{ tool: echo, arguments: {} }]\n      - say: done\n";

let app: OwnApp;
let recorder: RecordingServer;
let deps: EngineDeps;

test.describe.configure({ mode: "serial" });

test.beforeAll(async () => {
  recorder = await startRecordingServer({});
  app = await startOwnApp(oneAgentProject({ url: recorder.url, script: SCRIPT, allowlist: "- echo" }), {
    ...SMALL,
    AUTH_SECRET: required("AUTH_SECRET"),
  });
  deps = { db: app.db, now: () => new Date() };
});
test.afterAll(async () => {
  await app?.remove();
  await recorder?.close();
});

/** A person of their own, so that no other test has used up their limits. */
async function caller() {
  const user = await buildUser(deps, "operator");
  const { token } = await createToken(deps, user.actor, { name: "All", userId: user.id, scopes: scopesOf("operator") });
  return { token, cookie: await sessionCookie(user) };
}

const ask = (
  address: string,
  { token, cookie, body, accept }: { token?: string; cookie?: string; body?: unknown; accept?: string } = {},
  signal?: AbortSignal,
) =>
  fetch(app.url + address, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(cookie ? { cookie } : {}),
      ...(accept ? { accept } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });

async function expectRefusal(answer: Response, status: number, says: string): Promise<void> {
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(JSON.parse(text)).toEqual({
    error: {
      code: status === 429 ? "rate_limited" : "unavailable",
      message: expect.stringContaining(says),
      request_id: expect.stringMatching(/^req_/),
      issues: [],
    },
  });
}

async function refusals(limit: string): Promise<number> {
  const text = await (await ask("/metrics", await caller())).text();
  return Number(new RegExp(`^kimitsu_refusals_total\\{limit="${limit}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
}

test(
  verifies("protection:queue", "a run is refused while others wait for a worker, and started when they no longer do"),
  async () => {
    await recorder.hold("echo");
    const start = async () => ask("/runs", { token: (await caller()).token, body: { workflow: "main" } });
    expect((await start()).status).toBe(202);
    await recorder.waitForCalls("echo", 1);
    // The only worker slot is taken, so that what is started now is due and stays so.
    let answer = await start();
    await expect.poll(async () => (answer = await start()).status).toBe(503);
    await expectRefusal(answer, 503, "More than 2 runs are due");
    expect(await refusals("queue")).toBeGreaterThan(0);
    await recorder.release("echo");
    await expect.poll(async () => (await start()).status).toBe(202);
  },
);

test(
  verifies(
    "protection:rate",
    "a token that asks without pause gets Retry-After, another is answered, and the first is answered again",
  ),
  async () => {
    const [eager, other] = [await caller(), await caller()];
    const lanes = Array.from({ length: 6 }, async () => {
      const answers: Response[] = [];
      for (let count = 0; count < 20; count++) answers.push(await ask("/settings/pause", { token: eager.token }));
      return answers;
    });
    const answers = (await Promise.all(lanes)).flat();
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
    await expectRefusal(refused[0]!, 429, "4 requests per second");
    expect((await ask("/settings/pause", { token: other.token })).status).toBe(200);
    expect((await ask("/metrics", { token: eager.token })).status).toBe(200);
    await expect.poll(async () => (await ask("/settings/pause", { token: eager.token })).status).toBe(200);
  },
);

test(
  verifies(
    "protection:requests",
    "while eight requests wait for the database the ninth is refused at once, probes are answered, and the eight complete",
  ),
  async () => {
    const people = await Promise.all(Array.from({ length: 8 }, caller));
    const watcher = await caller();
    // A stream takes none of the eight slots.
    const stream = await ask("/live/inbox", { cookie: watcher.cookie, accept: "text/event-stream" });
    const client = new pg.Client({ connectionString: app.env.DATABASE_URL });
    await client.connect();
    await client.query("BEGIN; LOCK TABLE api_tokens IN ACCESS EXCLUSIVE MODE");
    const hanging = people.map(({ token }) => ask("/settings/pause", { token }));
    let answer: Response | undefined;
    // Needs no token, so it is answered at once until there is no slot.
    await expect.poll(async () => (answer = await ask("/openapi.json")).status).toBe(503);
    await expectRefusal(answer!, 503, "works on 8 requests");
    const page = await ask("/sign-in", { accept: "text/html" });
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("Try again in 2 s.")]);
    for (const probe of ["/healthz", "/readyz"]) expect((await ask(probe)).status, probe).toBe(200);
    const figures = await (await ask("/metrics", { cookie: watcher.cookie })).text();
    expect(figures).toMatch(/^kimitsu_refusals_total\{limit="requests"\} [1-9]/m);
    await client.query("COMMIT");
    await client.end();
    await stream.body?.cancel();
    expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual(people.map(() => 200));
    expect((await ask("/openapi.json")).status).toBe(200);
  },
);

test(
  verifies(
    "protection:streams",
    "streams of the inbox and of runs count together, per person and per process, and a dropped one frees a slot",
  ),
  async () => {
    const [ana, ben, cy] = [await caller(), await caller(), await caller()];
    const { run_id: runId } = (await (await ask("/runs", { token: ana.token, body: { workflow: "main" } })).json()) as {
      run_id: string;
    };
    await recorder.hold("echo");
    const held = (await (await ask("/runs", { token: ana.token, body: { workflow: "main" } })).json()) as {
      run_id: string;
    };
    expect(held.run_id).not.toBe(runId);
    const drops: AbortController[] = [];
    const open = (who: { token?: string; cookie?: string }, address: string) => {
      const drop = new AbortController();
      drops.push(drop);
      return ask(address, { ...who, accept: "text/event-stream" }, drop.signal);
    };
    const ofRun = `/runs/${held.run_id}/events`;
    expect((await open({ cookie: ana.cookie }, "/live/inbox")).status).toBe(200);
    expect((await open({ token: ana.token }, ofRun)).status).toBe(200);
    await expectRefusal(await open({ cookie: ana.cookie }, "/live/inbox"), 429, "You have 2 event streams open");
    await expectRefusal(await open({ token: ana.token }, ofRun), 429, "You have 2 event streams open");
    await expect.poll(async () => (await open({ cookie: ben.cookie }, "/live/inbox?for=notices")).status).toBe(200);
    await expectRefusal(await open({ token: cy.token }, ofRun), 503, "3 event streams are open here");
    await expectRefusal(await open({ cookie: cy.cookie }, "/live/inbox"), 503, "3 event streams are open here");
    drops[0]!.abort();
    await expect.poll(async () => (await open({ cookie: cy.cookie }, "/live/inbox")).status).toBe(200);
    drops[1]!.abort();
    await expect.poll(async () => (await open({ token: ana.token }, ofRun)).status).toBe(200);
    for (const drop of drops) drop.abort();
    await recorder.release("echo");
  },
);
