import { expect, test } from "vitest";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { Prisma } from "@/lib/store/generated/client";
import type { RunPiece } from "@/lib/store/run-line";
import { joinPieces } from "@/lib/store/transitions/join-pieces";
import type { TurnRecord } from "@/lib/store/transitions/record-turn";

const lease = { runId: "run_1", owner: "wrk_1", epoch: 1 };
const at = new Date(0);
const event = { chainId: "run_1", type: "x", at, actor: SYSTEM_ACTOR, data: {} };

const other = (): RunPiece => ({ kind: "statement", statement: Prisma.sql`SELECT 1` });
const result = (callId: string): RunPiece => ({ kind: "result", lease, result: { callId, status: "succeeded", result: null, error: null, durationMs: 1 }, event, at });
const turn = (stepId: string, record: Partial<TurnRecord> = {}): RunPiece => ({ kind: "turn", lease, record: { turn: null, calls: [], approvals: [], stepState: {}, stepId, ...record }, events: [event], at });
const end = (stepId: string | null): RunPiece => ({
  kind: "end",
  lease,
  end: { status: "complete", output: null, lastStep: stepId === null ? null : { stepId, key: "k", to: "complete" }, leftOpen: { steps: [], calls: [], approvals: [] } },
  activeMs: 0,
  events: { last: [], left: [], ended: [{ about: null, event }] },
  at,
});
const parks = { status: "pending_approval" as const, wakeAt: null, seenWakes: 0, activeMs: 0 };

/** How many pieces each statement carries. */
const sizes = (...pieces: RunPiece[]) => joinPieces(pieces).map(({ answers }) => answers([]).length);

test.each([
  ["a result alone", [result("a")], [1]],
  ["results with the turn after them", [result("a"), result("b"), turn("s")], [3]],
  ["a result, the last turn and the end", [result("a"), turn("s"), end("s")], [3]],
  ["a result and the end without a turn", [result("a"), end("s")], [2]],
  ["the last turn and the end", [turn("s"), end("s")], [2]],
  ["a turn of another step than the last", [turn("s"), end("other")], [1, 1]],
  ["a turn whose step does not end with the run", [turn("s"), end(null)], [1, 1]],
  ["a turn that parks the run", [turn("s", { parks }), end("s")], [1, 1]],
  ["turns of two steps", [turn("s"), turn("t"), end("t")], [1, 2]],
  ["what comes between", [result("a"), other(), turn("s"), other(), end("s")], [1, 1, 1, 1, 1]],
] as [string, RunPiece[], number[]][])("%s", (_, pieces, expected) => {
  expect(sizes(...pieces)).toEqual(expected);
});

test("each piece learns what became of it: a result that was not kept is lost, although the rest was written", () => {
  const [joined] = joinPieces([result("a"), result("b"), turn("s"), end("s")]);
  const rows = [{ id: "run_1", results: ["b"] }];
  expect(joined!.answers(rows)).toEqual([[], rows, rows, rows]);
  expect(joined!.answers([])).toEqual([[], [], [], []]);
});
