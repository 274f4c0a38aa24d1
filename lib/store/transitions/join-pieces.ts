/**
 * Makes statements of what a worker has put in line. Results, the turn that follows upon them and the end that follows upon that are one statement
 * where they touch different rows, or the same row in a way that can be written at once: each row is then changed once, and each table is
 * opened once. Everything else stays a statement of its own, in its place.
 */
import type { Statement } from "@/lib/store/client";
import type { EndPiece, ResultPiece, RunPiece, TurnPiece } from "@/lib/store/run-line";
import { resultStatement } from "@/lib/store/transitions/execute-call";
import { writeRunStatement } from "@/lib/store/transitions/write-run";

export interface JoinedPieces {
  statement: Statement;
  /** The rows of each of its pieces, in order. */
  answers: (rows: unknown[]) => unknown[][];
}

export function joinPieces(pieces: readonly RunPiece[]): JoinedPieces[] {
  const joined: JoinedPieces[] = [];
  for (let place = 0; place < pieces.length; ) {
    const results = takeResults(pieces, place);
    const turn = ofKind(pieces[place + results.length], "turn");
    const next = ofKind(pieces[place + results.length + (turn ? 1 : 0)], "end");
    const end = next && (turn === null || isLastOf(turn, next)) ? next : null;
    const group = turn || end ? { results, turn, end } : null;
    joined.push(group ? joinGroup(group) : alone(pieces[place]!));
    place += group ? results.length + (turn ? 1 : 0) + (end ? 1 : 0) : 1;
  }
  return joined;
}

function takeResults(pieces: readonly RunPiece[], from: number): ResultPiece[] {
  const results: ResultPiece[] = [];
  for (let piece = ofKind(pieces[from], "result"); piece; piece = ofKind(pieces[from + results.length], "result")) results.push(piece);
  return results;
}

function ofKind<Kind extends RunPiece["kind"]>(piece: RunPiece | undefined, kind: Kind): Extract<RunPiece, { kind: Kind }> | null {
  return piece?.kind === kind ? (piece as Extract<RunPiece, { kind: Kind }>) : null;
}

/** A turn that asks for nothing, and the end of its step with the end of the run. */
function isLastOf({ record: { stepId, calls, approvals, parks } }: TurnPiece, { end }: EndPiece): boolean {
  return end.lastStep?.stepId === stepId && calls.length === 0 && approvals.length === 0 && !parks;
}

function alone(piece: RunPiece): JoinedPieces {
  if (piece.kind === "statement") return { statement: piece.statement, answers: (rows) => [rows] };
  if (piece.kind === "result") return { statement: resultStatement(piece), answers: (rows) => [rows] };
  throw new Error(`unreachable: a ${piece.kind} is a group by itself`);
}

function joinGroup(group: { results: ResultPiece[]; turn: TurnPiece | null; end: EndPiece | null }): JoinedPieces {
  const { results, turn, end } = group;
  return {
    statement: writeRunStatement(group),
    answers: (rows) => {
      const kept = (rows[0] as { results?: string[] } | undefined)?.results ?? [];
      return [...results.map(({ result }) => (kept.includes(result.callId) ? rows : [])), ...(turn ? [rows] : []), ...(end ? [rows] : [])];
    },
  };
}
