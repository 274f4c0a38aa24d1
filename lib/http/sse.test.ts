import { expect, test } from "vitest";
import { env } from "@/lib/env";
import { eventStream, takeStream } from "./sse";

test("a silent stream sends heartbeats, and loses no event", async () => {
  const go = Promise.withResolvers<void>();
  let ended = 0;
  async function* source() {
    await go.promise;
    yield { id: "1", event: "run.created", data: { text: "two\nlines" } };
  }
  const reader = eventStream(source(), { end: () => void ended++, heartbeatMs: 1 }).body!.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toMatch(/^retry: \d+\n\n$/);
  expect(await next()).toBe(": still here\n\n");
  go.resolve();
  let text = await next();
  while (text.startsWith(":")) text = await next();
  expect(text).toBe('id: 1\nevent: run.created\ndata: {"text":"two\\nlines"}\n\n');
  while (!(await reader.read()).done);
  expect(ended).toBe(1);
});

test("a source that fails ends the stream and frees its slot", async () => {
  let ended = 0;
  async function* source(): AsyncGenerator<never> {
    yield await Promise.reject(new Error("the database is gone"));
  }
  const response = eventStream(source(), { end: () => void ended++ });
  expect(await response.text()).not.toContain("database");
  expect(ended).toBe(1);
});

test("streams are limited per person and per process, and each that ends frees one slot", () => {
  const { KIMITSU_STREAMS_PER_PERSON: perPerson, KIMITSU_STREAMS_MAX: inAll } = env;
  const own = Array.from({ length: perPerson }, () => takeStream("usr_many"));
  expect(() => takeStream("usr_many")).toThrow(expect.objectContaining({ code: "rate_limited", retryAfterS: 5 }));
  const others = Array.from({ length: inAll - perPerson }, (_, index) => takeStream(`usr_${index}`));
  expect(() => takeStream("usr_last")).toThrow(expect.objectContaining({ code: "unavailable", retryAfterS: 5 }));
  own[0]!();
  own[0]!();
  const again = takeStream("usr_last");
  expect(() => takeStream("usr_last")).toThrow(expect.objectContaining({ code: "unavailable" }));
  for (const end of [...own, ...others, again]) end();
  takeStream("usr_many")();
});
