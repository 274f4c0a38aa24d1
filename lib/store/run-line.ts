/**
 * What a worker writes for one run, piece by piece. A piece is a statement of its own, or one of the three that follow upon each other in every run
 * (the result of a call, the turn after it, the end), of which as many as stand together become one statement: see transitions/join-pieces.ts.
 */
import { type Statement, type Statements, toStatement } from "@/lib/store/client";
import type { NewEvent } from "@/lib/store/event-sql";
import type { Lease } from "@/lib/store/lease-sql";
import type { CallResult } from "@/lib/store/transitions/execute-call";
import type { TurnRecord } from "@/lib/store/transitions/record-turn";
import type { EndEvents, SettledRun } from "@/lib/store/transitions/settle-run";

/** Events have their ids from when the piece was put in line, so that they stand in order among those of other pieces. */
export type ResultPiece = { kind: "result"; lease: Lease; result: CallResult; event: NewEvent; at: Date };
export type TurnPiece = { kind: "turn"; lease: Lease; record: TurnRecord; events: NewEvent[]; at: Date };
export type EndPiece = { kind: "end"; lease: Lease; end: SettledRun; activeMs: number; events: EndEvents; at: Date };
export type RunPiece = { kind: "statement"; statement: Statement } | ResultPiece | TurnPiece | EndPiece;

/** A database that carries nothing out by itself: each piece is taken into the line, and the promise is its rows. */
export interface RunLine extends Statements {
  put(piece: RunPiece): Promise<unknown[]>;
}

export function openRunLine(put: RunLine["put"]): RunLine {
  const queryRaw = (strings: TemplateStringsArray | Statement, ...values: unknown[]) => put({ kind: "statement", statement: toStatement(strings, values) });
  return { put, $queryRaw: queryRaw as Statements["$queryRaw"] };
}
