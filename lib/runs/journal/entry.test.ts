import { createSecretKey } from "node:crypto";
import { expect, test } from "vitest";
import { canonicalText } from "@/lib/audit/rules/audit-event";
import { OPERATOR_ACTOR, SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { eventsOfBody, type Entry, findEntryProblem, linkEntry, NO_HEAD } from "@/lib/runs/journal/entry";

const key = (id: string) => ({ id, secret: createSecretKey(Buffer.alloc(32, id)) });
const AT = "2026-11-17T10:00:00.000Z";
const ACTOR = { kind: "user", id: "usr_1", name: "Ana" } as const;
const content = (n: number) => ({
  chain: "run_1",
  at: AT,
  data: JSON.stringify({ changes: [n] }),
  events: [{ id: `evt_${n}`, type: "run.created", at: AT, actor: ACTOR, data: { n, left_out: undefined } }],
});

const first = linkEntry(NO_HEAD, content(1), key("a"));
const second = linkEntry({ seq: 1, hash: first.hash }, content(2), key("a"));
const head = { seq: 1, hash: first.hash };

test("rows follow each other, and say what happened", () => {
  expect([first.seq, second.seq]).toEqual([1, 2]);
  expect(findEntryProblem(first, NO_HEAD, [key("a")])).toBeNull();
  expect(findEntryProblem(second, head, [key("b"), key("a")])).toBeNull();
  expect(eventsOfBody(second.body)).toEqual([
    { id: "evt_2", type: "run.created", at: AT, actor: ACTOR, data: { n: 2 } },
  ]);
});

test.each([
  ["is left out where it is Kimitsu itself", SYSTEM_ACTOR, false],
  ["stands in the body where it is a person", ACTOR, true],
  ["stands in the body where it is another part of the system", OPERATOR_ACTOR, true],
  ["stands in the body where more is known of it", { ...SYSTEM_ACTOR, address: "10.0.0.1" }, true],
])("the actor of an event %s, and is read back", (_what, actor, isWritten) => {
  const [event] = content(1).events;
  const { body } = linkEntry(NO_HEAD, { ...content(1), events: [{ ...event!, actor }] }, key("a"));
  expect(body.includes('"actor"')).toBe(isWritten);
  expect(eventsOfBody(body)[0]?.actor).toEqual(actor);
});

test.each<[string, Partial<Entry>, string]>([
  ["other data", { data: JSON.stringify({ changes: [3] }) }, "data_changed"],
  ["no data", { data: null }, "data_changed"],
  ["another event", { body: second.body.replace('"n":2', '"n":3') }, "forged"],
  ["text that is no JSON", { body: "{" }, "forged"],
  ["another seal", { mac: first.mac }, "forged"],
  ["a shorter seal", { mac: second.mac.subarray(1) }, "forged"],
  ["another place", { seq: 3 }, "out_of_place"],
  ["another run", { chain: "run_2" }, "out_of_place"],
  ["another time", { at: "2026-11-17T10:00:00.001Z" }, "out_of_place"],
  ["another hash", { hash: first.hash }, "chain_broken"],
])("a row with %s is found out", (_what, change, problem) => {
  expect(findEntryProblem({ ...second, ...change }, head, [key("a")])).toBe(problem);
});

test("a body is canonical JSON, whatever the order of its parts", () => {
  const [event] = content(1).events;
  const data = { zeta: 1, alpha: { nine: [{ b: 0.1, a: "ä\u2028" }], eight: null }, eta: -0 };
  const actor = { name: "Ana", kind: "user", id: "usr_1", address: "::1" } as const;
  const { body } = linkEntry(NO_HEAD, { ...content(1), events: [{ ...event!, actor, data }] }, key("a"));
  expect(body).toBe(canonicalText(JSON.parse(body)));
});

test("an event with half a surrogate pair, which Postgres could not read, is not sealed; one that names it is", () => {
  const said = (text: string) => {
    const [event] = content(1).events;
    return linkEntry(NO_HEAD, { ...content(1), events: [{ ...event!, data: { text } }] }, key("a"));
  };
  for (const text of ["\ud83d", "a\\\udc00"]) expect(() => said(text)).toThrow("half of a surrogate pair");
  for (const text of ["\\ud83d", "\ud83d\ude00", "\\\\ud83d"]) {
    expect(eventsOfBody(said(text).body)[0]?.data).toEqual({ text });
  }
});

test("a removed row and an unknown key are detected", () => {
  expect(findEntryProblem(second, NO_HEAD, [key("a")])).toBe("out_of_place");
  expect(findEntryProblem(second, head, [key("b")])).toBe("unknown_key");
  const elsewhere = linkEntry({ seq: 1, hash: second.hash }, content(2), key("a"));
  expect(findEntryProblem(elsewhere, head, [key("a")])).toBe("chain_broken");
});
