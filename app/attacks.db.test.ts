/** Attacks that come in through the HTTP API. */
import { beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { POST as APPROVE } from "@/app/runs/[runId]/approve/route";
import { GET as READ } from "@/app/runs/[runId]/route";
import { POST as START } from "@/app/runs/route";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let operator: Awaited<ReturnType<typeof bench.login>>;
let reviewer: typeof operator;

beforeAll(async () => {
  bench = await openApiBench(database);
  operator = await bench.login("operator");
  reviewer = await bench.login("reviewer");
});

async function waiting() {
  const { body } = await ask(START, "/runs", { method: "POST", token: operator.token, body: { workflow: "main" } });
  await bench.advance(body.run_id);
  const [approval] = await bench.pendingOf(body.run_id);
  return { runId: body.run_id as string, approval: approval! };
}

describe(
  verifies("attack:toctou", "arguments that two programs could read differently are refused, and nothing is decided"),
  () => {
    const ODD: [string, string][] = [
      ["the same key twice", '{"text":"small","text":"large"}'],
      ["the same key twice, spelled differently", String.raw`{"text":"small","te\u0078t":"large"}`],
      ["__proto__", '{"text":"x","__proto__":{"text":"large"}}'],
      ["__proto__ deep inside", '{"text":"x","more":{"__proto__":{"a":1}}}'],
      ["a number beyond all measure", '{"text":"x","n":1e400}'],
      ["a number that loses digits", '{"text":"x","n":12345678901234567890}'],
      ["a number that loses digits, written as a float", '{"text":"x","n":1e30}'],
      ["half a surrogate pair", String.raw`{"text":"\ud800"}`],
      ["a NUL", String.raw`{"text":"\u0000"}`],
      ["a list instead of arguments", "[]"],
      ["nesting without end", `{"text":${"[".repeat(300)}${"]".repeat(300)}}`],
    ];
    test.each(ODD)("%s", async (_what, text) => {
      const { runId, approval } = await waiting();
      const { status } = await ask(
        APPROVE,
        `/runs/${runId}/approve`,
        { method: "POST", token: reviewer.token, body: `{"digest":"${approval.digest}","arguments":${text}}` },
        { runId },
      );
      expect(status).toBe(422);
      expect(await bench.pendingOf(runId)).toMatchObject([
        { id: approval.id, digest: approval.digest, status: "pending" },
      ]);
    });

    test("what a request says beside the decision is refused: tool, server, person and status come from the rows", async () => {
      const { runId, approval } = await waiting();
      for (const more of [
        { tool: "echo" },
        { server: "other" },
        { user_id: operator.user.id },
        { by: "admin" },
        { status: "approved" },
        { role: "admin" },
      ]) {
        expect(
          (
            await ask(
              APPROVE,
              `/runs/${runId}/approve`,
              { method: "POST", token: reviewer.token, body: { digest: approval.digest, ...more } },
              { runId },
            )
          ).status,
          JSON.stringify(more),
        ).toBe(422);
      }
      expect(await bench.pendingOf(runId)).toHaveLength(1);
    });

    test("-0 and 1.0 are shown, bound and sent as what they are to every program: 0 and 1", async () => {
      const { runId, approval } = await waiting();
      const { status } = await ask(
        APPROVE,
        `/runs/${runId}/approve`,
        {
          method: "POST",
          token: reviewer.token,
          body: `{"digest":"${approval.digest}","arguments":{"text":"x","a":-0,"b":1.0}}`,
        },
        { runId },
      );
      expect(status).toBe(200);
      await bench.advance(runId);
      const call = await database.db.call.findUniqueOrThrow({ where: { id: approval.callId } });
      expect(call.argumentsCanonical).toBe('{"a":0,"b":1,"text":"x"}');
      const sent = (await bench.server.calls("t-none")).at(-1);
      expect(JSON.stringify(sent!.arguments)).toBe(JSON.stringify(JSON.parse(call.argumentsCanonical)));
    });
  },
);

test(verifies("attack:passthrough", "no credential of a caller is passed on to a tool server"), async () => {
  const marks = {
    authorization: `Bearer ${operator.token}`,
    cookie: "sid=inbound-cookie",
    "x-api-key": "inbound-key",
    "x-forwarded-for": "203.0.113.77",
    "idempotency-key": "inbound-idempotency",
  };
  const { body } = await ask(START, "/runs", {
    method: "POST",
    token: operator.token,
    body: { workflow: "main" },
    headers: marks,
  });
  await bench.advance(body.run_id);
  const [approval] = await bench.pendingOf(body.run_id);
  await ask(
    APPROVE,
    "/runs/x/approve",
    { method: "POST", token: reviewer.token, body: { digest: approval!.digest }, headers: { cookie: marks.cookie } },
    { runId: body.run_id },
  );
  await bench.advance(body.run_id);
  const received = JSON.stringify(await bench.server.received());
  expect(received).toContain("t-none");
  for (const mark of [
    operator.token,
    reviewer.token,
    "inbound-cookie",
    "inbound-key",
    "203.0.113.77",
    "inbound-idempotency",
  ])
    expect(received).not.toContain(mark);
});

test(verifies("attack:cross-client", "of many requests by two callers at once each gets its own answer"), async () => {
  const runs = [await waiting(), await waiting()];
  const callers = [operator.token, reviewer.token];
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const { runId } = runs[index % 2]!;
      const { body } = await ask(READ, `/runs/${runId}`, { token: callers[index % 2] }, { runId });
      return { runId, got: body.run_id as string };
    }),
  );
  expect(answers.filter(({ runId, got }) => runId !== got)).toEqual([]);
});
