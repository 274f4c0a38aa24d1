import { expect, test } from "vitest";
import { eventStream } from "./sse";

test("a silent stream shows that it lives, and loses nothing by it", async () => {
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

test("a source that breaks ends the stream and gives its place back", async () => {
  let ended = 0;
  async function* source(): AsyncGenerator<never> {
    yield await Promise.reject(new Error("the database is gone"));
  }
  const response = eventStream(source(), { end: () => void ended++ });
  expect(await response.text()).not.toContain("database");
  expect(ended).toBe(1);
});
