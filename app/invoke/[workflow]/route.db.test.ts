import { beforeAll, describe, expect, test } from "vitest";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { sessionCookie, TEST_ORIGIN } from "@/lib/testing/requests";
import { POST } from "./route";

const database = useDatabase();
const SECRET = "hook-secret-0123456789";

const workflow = (name: string, auth: string) =>
  `kind: workflow\nname: ${name}\nenv: [{ name: HOOK_SECRET, secret: true }, { name: UNSET_SECRET, secret: true, default: "" }]\n${auth}params: { schema: { type: object, properties: { text: { type: string } }, additionalProperties: false } }\npipeline:\n  - id: work\n    agent: ./agents/worker.agent.yaml\n`;

let bench: Awaited<ReturnType<typeof openApiBench>>;
beforeAll(async () => {
  bench = await openApiBench(database, {
    processEnv: { HOOK_SECRET: SECRET },
    workflow: workflow("main", ""),
    files: {
      "workflows/hooked.workflow.yaml": workflow(
        "hooked",
        'invoke: { auth: { header: X-Api-Secret, scheme: raw, secret: "{{ env.HOOK_SECRET }}" } }\n',
      ),
      "workflows/bearer.workflow.yaml": workflow("bearer", 'invoke: { auth: { secret: "{{ env.HOOK_SECRET }}" } }\n'),
      "workflows/shut.workflow.yaml": workflow(
        "shut",
        'invoke: { auth: { header: X-Api-Secret, scheme: raw, secret: "{{ env.UNSET_SECRET }}" } }\n',
      ),
    },
  });
});

const invoke = (name: string, facts: Parameters<typeof ask>[2] = {}) =>
  ask(POST, `/invoke/${name}`, { method: "POST", body: { text: "hi" }, ...facts }, { workflow: name });

describe("202", () => {
  test("with a token, and with a session from our own pages", async () => {
    const { token, user } = await bench.login("operator");
    expect((await invoke("main", { token })).status).toBe(202);
    expect((await invoke("hooked", { token })).status).toBe(202);
    expect((await invoke("bearer", { token })).status).toBe(202);
    expect((await invoke("main", { cookie: await sessionCookie(user), origin: TEST_ORIGIN })).status).toBe(202);
  });

  test("with the workflow's own secret, raw or as a bearer; the run names no person", async () => {
    const raw = await invoke("hooked", { headers: { "x-api-secret": SECRET } });
    const bearer = await invoke("bearer", { headers: { authorization: `Bearer ${SECRET}` } });
    expect([raw.status, bearer.status]).toEqual([202, 202]);
    expect(await database.db.run.findUniqueOrThrow({ where: { id: raw.body.run_id } })).toMatchObject({
      startedByKind: "token",
      startedById: "invoke:hooked",
      startedByUserId: null,
      params: { text: "hi" },
    });
  });

  test("with a key the secret's caller starts one run", async () => {
    const headers = { "x-api-secret": SECRET, "idempotency-key": "delivery-1" };
    const [first, second] = await Promise.all([invoke("hooked", { headers }), invoke("hooked", { headers })]);
    expect(second!.body).toEqual(first!.body);
    expect((await invoke("hooked", { headers, body: { text: "other" } })).status).toBe(409);
  });
});

describe("401", () => {
  test("without anything, with a wrong secret, and with a secret that is set nowhere", async () => {
    const before = await database.db.run.count();
    expect((await invoke("hooked")).status).toBe(401);
    expect((await invoke("nope")).status).toBe(401);
    for (const given of ["wrong", SECRET.slice(1), `${SECRET}x`, ""])
      expect((await invoke("hooked", { headers: { "x-api-secret": given } })).status, given).toBe(401);
    expect((await invoke("bearer", { headers: { authorization: SECRET } })).status).toBe(401);
    expect((await invoke("main", { headers: { "x-api-secret": SECRET } })).status).toBe(401);
    for (const given of ["", "undefined", "null"])
      expect((await invoke("shut", { headers: { "x-api-secret": given } })).status).toBe(401);
    const { body } = await invoke("hooked", { headers: { "x-api-secret": "wrong" } });
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(await database.db.run.count()).toBe(before);
  });
});

describe("403, 404 and 422", () => {
  test("a role that may not start runs; an unknown workflow; a body that does not fit", async () => {
    const viewer = await bench.login("viewer");
    expect((await invoke("main", { token: viewer.token })).status).toBe(403);
    const { token } = await bench.login("operator");
    expect((await invoke("nope", { token })).status).toBe(404);
    const violation = await invoke("main", { token, body: { text: 1, more: 2 } });
    expect([violation.status, violation.body.error.issues.map((issue: { path: string }) => issue.path).sort()]).toEqual(
      [422, ["params.more", "params.text"]],
    );
  });
});

describe("429", () => {
  test("an address that guesses secrets is stopped, and the right one works from elsewhere", async () => {
    const tries = await Promise.all(
      Array.from({ length: 65 }, () =>
        invoke("hooked", { headers: { "x-api-secret": "guess" }, address: "192.0.2.77" }),
      ),
    );
    expect(tries.filter((answer) => answer.status === 401)).toHaveLength(60);
    expect(tries.filter((answer) => answer.status === 429)).toHaveLength(5);
    expect((await invoke("hooked", { headers: { "x-api-secret": SECRET } })).status).toBe(202);
  });
});
