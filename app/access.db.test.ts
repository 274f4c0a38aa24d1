/**
 * Every operation of the OpenAPI document, by everybody: without a sign-in, by each role, by tokens of each scope, with
 * ids of every wrong kind. An operation is covered as soon as it is documented; one with a path parameter that is not
 * known here fails until it is named.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { ROLES, type Role, roleAllows, type Scope, SCOPES } from "@/lib/people/rules/roles";
import { revokeToken } from "@/lib/people/revoke-token";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { openApiDocument } from "@/lib/http/openapi";
import { OPERATIONS } from "@/lib/http/operations";
import { openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { dumpDatabase } from "@/lib/testing/dump-database";
import { projectAll } from "@/lib/testing/project-all";
import { exampleOf } from "@/lib/testing/example-of";
import { sessionCookie, TEST_ORIGIN, testRequest, withParams } from "@/lib/testing/requests";

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;
type Documented = {
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  "x-permission": Scope | "public";
};
interface Route {
  title: string;
  method: string;
  path: string;
  params: string[];
  permission: Scope | "public";
  body: unknown;
}

const database = useDatabase();
const files = import.meta.glob<Record<string, Handler>>("./**/route.ts");
const document = openApiDocument() as { paths: Record<string, Record<string, Documented>> } & Record<string, unknown>;
const ROUTES: Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    const params = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
    return {
      title: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      params,
      permission: operation["x-permission"],
      body: schema ? exampleOf(schema, document) : undefined,
    };
  }),
);
const CLOSED = ROUTES.filter((route) => route.permission !== "public");
const WITH_IDS = CLOSED.filter(({ params }) => params.length > 0);

let bench: Awaited<ReturnType<typeof openApiBench>>;
let ids: Record<string, string>;
let dead: { tokens: string[]; cookie: string };
const logins = {} as Record<Role, Awaited<ReturnType<typeof bench.login>>>;

beforeAll(async () => {
  bench = await openApiBench(database);
  for (const role of ROLES) logins[role] = await bench.login(role);
  ids = await waitingIds();
  const [gone, out, late] = [await bench.login("admin"), await bench.login("admin"), await bench.login("admin")];
  await revokeToken(bench.deps, gone.user.actor, { tokenId: gone.id, ownerId: null });
  await setUserDisabled(bench.deps, gone.user.actor, { userId: out.user.id, disabled: true });
  await database.db.apiToken.update({
    where: { id: late.id },
    data: { expiresAt: new Date(bench.deps.now().getTime() - 1) },
  });
  dead = {
    tokens: [gone.token, out.token, late.token, `${late.token}x`, "kmt_"],
    cookie: await sessionCookie(out.user),
  };
});

/** Of a run that waits for a person, started by someone who takes no part in the test. */
async function waitingIds(): Promise<Record<string, string>> {
  const starter = await bench.login("operator");
  const { status, body } = await send(
    ROUTES.find(({ title }) => title === "POST /runs")!,
    { token: starter.token, body: { workflow: "main" } },
  );
  if (status !== 202) throw new Error(`a run could not be started: ${body}`);
  const { run_id: runId } = JSON.parse(body) as { run_id: string };
  await bench.advance(runId);
  const [approval] = await bench.pendingOf(runId);
  return { runId, approvalId: approval!.id, callId: approval!.callId, step: "work", workflow: "main" };
}

async function send(
  route: Route,
  facts: Parameters<typeof testRequest>[1],
  given = ids,
): Promise<{ status: number; body: string }> {
  const missing = route.params.filter((name) => given?.[name] === undefined);
  if (missing.length > 0) throw new Error(`${route.title}: give waitingIds() a value for ${missing.join(", ")}`);
  const file = `.${route.path.replaceAll("{", "[").replaceAll("}", "]")}/route.ts`;
  const handler = (await files[file]?.())?.[route.method];
  if (!handler) throw new Error(`${file} has no ${route.method}`);
  const params = Object.fromEntries(route.params.map((name) => [name, given[name]!]));
  const address = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(given[name]!));
  const response = await handler(
    testRequest(address, { method: route.method, ...(route.body === undefined ? {} : { body: route.body }), ...facts }),
    withParams(params),
  );
  return { status: response.status, body: await response.text() };
}

/** Only counts of attempts and a token's last use may change by reading or being refused. */
async function state(): Promise<Record<string, string>> {
  await projectAll(database.db);
  const { throttles: _throttles, api_tokens: _tokens, workers: _workers, ...rest } = await dumpDatabase(database.db);
  return rest;
}

const withoutIds = (text: string) =>
  text
    .replaceAll(/req_\w+/g, "req")
    .replaceAll(/(run|apr|call)_\w+/g, "$1")
    .replaceAll(/made-up-\w+/g, "x");

describe(verifies("access:refused", "nobody gets more than they may, and a refusal changes nothing"), () => {
  test.each(CLOSED)("$title is refused without a sign-in, and to invalid tokens", async (route) => {
    const before = await state();
    const address = `198.51.100.${CLOSED.indexOf(route)}`;
    for (const token of [undefined, ...dead.tokens]) {
      expect((await send(route, { token, address })).status, String(token)).toBe(401);
    }
    expect((await send(route, { cookie: dead.cookie, origin: TEST_ORIGIN, address })).status).toBe(401);
    expect(await state()).toEqual(before);
  });

  test.each(
    CLOSED.flatMap((route) =>
      ROLES.filter((role) => !roleAllows(role, route.permission as Scope)).map((role) => ({ ...route, role })),
    ),
  )(
    "$title is refused to a $role, by token and by session, with the same message whether the thing exists or not",
    async ({ role, ...route }) => {
      const before = await state();
      const made = Object.fromEntries(Object.keys(ids).map((name) => [name, "made-up-1"]));
      const cookie = await sessionCookie(logins[role].user);
      const answers = [
        await send(route, { token: logins[role].token }),
        await send(route, { token: logins[role].token }, made),
        await send(route, { cookie, origin: TEST_ORIGIN }),
        await send(route, { cookie, origin: TEST_ORIGIN }, made),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect(withoutIds(answers[0]!.body)).toBe(withoutIds(answers[1]!.body));
      expect(withoutIds(answers[2]!.body)).toBe(withoutIds(answers[3]!.body));
      expect(await state()).toEqual(before);
    },
  );

  test.each(SCOPES)(
    "an admin's token with the scope %s alone may use what requires it and nothing else",
    async (scope) => {
      const { token } = await bench.login("admin", { scopes: [scope] });
      const before = await state();
      for (const route of CLOSED.filter(({ permission }) => permission !== scope))
        expect((await send(route, { token })).status, route.title).toBe(403);
      expect(await state()).toEqual(before);
    },
  );

  test.each(CLOSED.filter(({ method }) => method !== "GET"))(
    "$title is not accepted from another site with the cookie of an admin",
    async (route) => {
      const before = await state();
      const cookie = await sessionCookie(logins.admin.user);
      for (const origin of [undefined, "https://evil.example", "null"])
        expect((await send(route, { cookie, origin })).status, String(origin)).toBe(403);
      expect(await state()).toEqual(before);
    },
  );
});

describe(verifies("access:ids", "an id that does not exist, or is of another kind, is not found"), () => {
  const STRANGE = [
    "made-up-1",
    "",
    "..",
    "../../healthz",
    "%2e%2e",
    "' OR 1=1 --",
    "__proto__",
    "constructor",
    "x".repeat(5_000),
    "run_\u202E",
    "\0",
    "*",
    "null",
  ];

  test.each(WITH_IDS)("$title", async (route) => {
    const before = await state();
    const others = [ids.approvalId!, ids.runId!, ids.callId!, logins.viewer.user.id, logins.viewer.id];
    for (const name of route.params) {
      for (const value of [...STRANGE, ...others.filter((other) => other !== ids[name])]) {
        const { status, body } = await send(route, { token: logins.admin.token }, { ...ids, [name]: value });
        // What waits in a step is asked of its run, which exists.
        expect(
          name === "step" ? [404, 409, 422] : [404, 422],
          `${name} = ${JSON.stringify(value.slice(0, 40))}: ${body.slice(0, 300)}`,
        ).toContain(status);
      }
    }
    expect(await state()).toEqual(before);
  });
});

describe(verifies("access:get", "a GET changes nothing, whoever asks"), () => {
  test.each(ROUTES.filter(({ method }) => method === "GET"))("$title", async (route) => {
    const before = await state();
    for (const role of ROLES) expect((await send(route, { token: logins[role].token })).status, role).not.toBe(500);
    expect(await state()).toEqual(before);
  });

  test("no address that changes something does so on GET", () => {
    const reads = new Set(ROUTES.filter(({ method }) => method === "GET").map(({ path }) => path));
    const deciding = ROUTES.filter(
      ({ permission, method }) => permission === "approvals:decide" || (permission === "admin" && method !== "GET"),
    );
    expect(deciding.length).toBeGreaterThan(5);
    expect(
      deciding
        .filter(({ method, path }) => method === "GET" || (reads.has(path) && path !== "/settings/pause"))
        .map(({ title }) => title),
    ).toEqual([]);
  });
});

describe("permitted callers are accepted, so that the refusals above have their own reasons", () => {
  test.each(
    CLOSED.flatMap((route) =>
      ROLES.filter((role) => roleAllows(role, route.permission as Scope)).map((role) => ({ ...route, role })),
    ),
  )("$title by a $role", async ({ role, ...route }) => {
    const own = route.method === "GET" ? ids : await waitingIds();
    const { status, body } = await send(route, { token: logins[role].token }, own);
    expect(status, body).not.toBe(401);
    expect(status, body).not.toBe(403);
    expect(status, body).toBeLessThan(500);
  });
});

test("the list is the whole API", () => {
  expect(ROUTES.map(({ title }) => title).sort()).toEqual(
    OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort(),
  );
});
