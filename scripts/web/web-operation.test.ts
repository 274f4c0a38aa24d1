import { afterEach, expect, test } from "vitest";
import { isOperation } from "@/lib/http/find-path";
import { markOperation } from "./web-operation.mjs";

const kept = globalThis as typeof globalThis & { __kimitsuIsOperation?: typeof isOperation };
afterEach(() => void delete kept.__kimitsuIsOperation);

function mark(method: string, url: string, headers: Record<string, string> = {}) {
  const given = new Map<string, string>();
  const request = { method, url, headers: { ...headers } };
  markOperation(request, { setHeader: (name: string, value: string) => void given.set(name, value) });
  return { asked: request.headers, answered: Object.fromEntries(given) };
}

const FORGED = { "x-kimitsu-operation": "1", "x-request-id": "req_mine" };

test("a request of the API is marked, with a request id that is ours and a policy that allows nothing", () => {
  kept.__kimitsuIsOperation = isOperation;
  const { asked, answered } = mark("POST", "/invoke/refund?dry=1", FORGED);
  expect(asked).toEqual({ "x-kimitsu-operation": "1", "x-request-id": expect.stringMatching(/^req_[0-9a-f]{32}$/) });
  expect(answered["content-security-policy"]).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
});

test.each([
  ["GET", "/inbox"],
  ["GET", "/runs/run_1/cancel"],
  ["POST", "/approvals/apr_1/approve"],
  ["GET", "/approvals/.."],
])("a client cannot mark %s %s itself", (method, url) => {
  kept.__kimitsuIsOperation = isOperation;
  const { asked, answered } = mark(method, url, FORGED);
  expect([asked["x-kimitsu-operation"], answered]).toEqual([undefined, {}]);
});

test("until the application is loaded nothing is marked", () => {
  expect(mark("POST", "/invoke/refund", FORGED).asked["x-kimitsu-operation"]).toBeUndefined();
});
