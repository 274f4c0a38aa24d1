import { expect, test } from "vitest";
import { listRunSpans } from "@/lib/runs/queries/list-run-spans";
import { useDatabase } from "@/lib/testing/database";
import { buildSettledCall } from "@/lib/testing/settled-call";

const database = useDatabase();

test("the time until a person settled a call counts as theirs, not the tool's", async () => {
  const { db } = database;
  const sent = new Date("2026-01-01T10:00:00.000Z");
  const after = (ms: number) => new Date(sent.getTime() + ms);
  const times = { sentAt: sent, unknownAt: after(639), settledAt: after(211_000) };
  const { runId } = await buildSettledCall(db, times);
  const spans = await listRunSpans(db, runId, { from: sent, to: after(300_000), max: 50 });
  expect(
    spans.filter(({ kind }) => kind !== "model").map(({ kind, workMs, status }) => [kind, workMs, status]),
  ).toEqual([
    ["tool", 639, "succeeded"],
    ["person", 210_361, "outcome_unknown"],
  ]);
});
