import { beforeAll, describe, expect, test } from "vitest";
import { POST as START } from "@/app/runs/route";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { testRequest, withParams } from "@/lib/testing/requests";
import { POST as APPROVE } from "../approve/route";
import { GET } from "./route";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let token: string;
let reviewer: string;
beforeAll(async () => {
  bench = await openApiBench(database);
  token = (await bench.login("operator")).token;
  reviewer = (await bench.login("reviewer")).token;
});

async function started() {
  const runId = (await ask(START, "/runs", { method: "POST", token, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  return runId;
}
async function finished() {
  const runId = await started();
  await ask(APPROVE, `/runs/${runId}/approve`, { method: "POST", token: reviewer, body: {} }, { runId });
  await bench.advance(runId);
  return runId;
}
const page = (runId: string, query = "") => ask(GET, `/runs/${runId}/events${query}`, { token }, { runId });
const open = (runId: string, headers: Record<string, string> = {}, query = "") =>
  GET(
    testRequest(`/runs/${runId}/events${query}`, { token, headers: { accept: "text/event-stream", ...headers } }),
    withParams({ runId }),
  );

interface Sent {
  id: number;
  event: string;
  data: { seq: number; type: string; data: Record<string, unknown> };
}

function parse(text: string): Sent[] {
  const blocks = text.split("\n\n").filter((block) => block.startsWith("id: "));
  return blocks.map((block) => {
    const [id, event, data] = block.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
    return { id: Number(id), event: event!, data: JSON.parse(data!) };
  });
}

/** Reads until an event of this type arrives, and leaves the stream open. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, type: string): Promise<Sent[]> {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended before ${type}`);
    text += new TextDecoder().decode(value);
    if (text.includes(`event: ${type}\n`)) return parse(text);
  }
}

describe("JSON pages", () => {
  test("give every event once, oldest first, without the addresses of people", async () => {
    const runId = await finished();
    const whole = (await page(runId, "?limit=200")).body.items as { seq: number; type: string }[];
    expect(whole.map((event) => event.seq)).toEqual(whole.map((_event, index) => index + 1));
    expect(whole[0]?.type).toBe("run.created");
    expect(whole.at(-1)?.type).toBe("run.completed");
    expect(JSON.stringify(whole)).not.toContain("192.0.2.1");
    const first = (await page(runId, "?limit=4")).body;
    const rest = (await page(runId, `?limit=200&cursor=${first.next_cursor}`)).body;
    expect([...first.items, ...rest.items]).toEqual(whole);
    expect(rest.next_cursor).toBeNull();
  });

  test("404 for a run that does not exist, 422 for an invalid cursor", async () => {
    expect((await page("run_none")).status).toBe(404);
    expect((await page(await started(), "?cursor=abc")).status).toBe(422);
  });
});

describe("server-sent events", () => {
  test("a settled run is sent whole, and the stream ends", async () => {
    const runId = await finished();
    const response = await open(runId);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("cache-control")).toContain("no-transform");
    const sent = parse(await response.text());
    const items = (await page(runId, "?limit=200")).body.items;
    expect(sent.map((each) => each.data)).toEqual(items);
    expect(sent.map((each) => each.id)).toEqual(items.map((item: { seq: number }) => item.seq));
  });

  test("Last-Event-ID resumes after it, and a reader who has everything of an ended run is told not to reconnect", async () => {
    const runId = await finished();
    const all = parse(await (await open(runId)).text());
    const rest = parse(await (await open(runId, { "last-event-id": "3" })).text());
    expect(rest).toEqual(all.slice(3));
    expect((await open(runId, { "last-event-id": String(all.length) })).status).toBe(204);
    expect((await open(runId, { "last-event-id": "evt_x" })).status).toBe(422);
  });

  test("what happens later arrives on the open stream, up to the end of the run", async () => {
    const runId = await started();
    const reader = (await open(runId)).body!.getReader();
    const before = await readUntil(reader, "run.parked");
    await ask(APPROVE, `/runs/${runId}/approve`, { method: "POST", token: reviewer, body: {} }, { runId });
    await bench.advance(runId);
    const after = await readUntil(reader, "run.completed");
    expect(after.map((each) => each.event)).toContain("approval.decided");
    expect(after[0]?.id).toBe(before.at(-1)!.id + 1);
    while (!(await reader.read()).done);
  });

  test("the number of open streams is limited, and closing one frees a slot", async () => {
    const runId = await started();
    const streams = await Promise.all(Array.from({ length: 24 }, () => open(runId)));
    const refused = await open(runId);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await streams[0]!.body!.cancel();
    const again = await open(runId);
    expect(again.status).toBe(200);
    await Promise.all([...streams.slice(1), again].map((stream) => stream.body!.cancel()));
  });

  test("401 without a sign-in", async () => {
    const response = await GET(
      testRequest("/runs/run_x/events", { headers: { accept: "text/event-stream" } }),
      withParams({ runId: "run_x" }),
    );
    expect(response.status).toBe(401);
  });
});
