/**
 * The statement behind a worker's turns and ends: results of calls, a turn with its calls and questions, the park or the end of the run, whichever of
 * them there are. One guard holds for all of it, every row is changed once, and the events stand in the order in which things happened.
 */
import type { Statement } from "@/lib/store/client";
import { insertEvents, insertEventsAbout, insertManyEventsAbout, type PlacedEvent } from "@/lib/store/event-sql";
import { budgetWarning } from "@/lib/store/budget-warning-sql";
import { Prisma } from "@/lib/store/generated/client";
import { heldBy } from "@/lib/store/lease-sql";
import { ENDED_IDS } from "@/lib/store/left-open-sql";
import type { EndPiece, ResultPiece, TurnPiece } from "@/lib/store/run-line";
import { updateCalls } from "@/lib/store/transitions/execute-call";
import { addCalls, addQuestions, addTurn, turnColumns, turnStep } from "@/lib/store/transitions/record-turn";
import { endColumns, endRest } from "@/lib/store/transitions/settle-run";
import { stepUpdate } from "@/lib/store/transitions/settle-step";

export interface RunWrite {
  results: ResultPiece[];
  turn: TurnPiece | null;
  end: EndPiece | null;
}

/** No row means that the lease is lost, and nothing was written. `results` names the calls whose result was kept. */
export function writeRunStatement(write: RunWrite): Statement {
  const { results, turn, end } = write;
  const newest = end ?? turn;
  if (!newest) throw new Error("unreachable: results alone are written alone");
  const { lease, at } = newest;
  const costUsd = turn?.record.turn?.costUsd ?? 0;
  const refundUsd = results.reduce((sum, { result }) => sum + (result.refundUsd ?? 0), 0);
  const columns = [
    Prisma.sql`updated_at = ${at}`,
    Prisma.sql`cost_usd = greatest(cost_usd - ${refundUsd}, 0) + ${costUsd}`,
    ...(turn ? turnColumns(turn, end === null) : []),
    ...(end ? endColumns(end) : []),
  ];
  const parts = [
    ...(results.length > 0 ? [Prisma.sql`resulted AS (${updateCalls(results)})`] : []),
    ...stepParts(write),
    ...(turn ? [...addTurn(turn), ...addCalls(turn), ...addQuestions(turn)] : []),
    ...(end ? endRest(end, results.map(({ result }) => result.callId)) : []),
    Prisma.sql`logged AS (${eventsOf(write)})`,
  ];
  return Prisma.sql`
    WITH held AS (
      UPDATE runs SET ${Prisma.join(columns, ", ")} WHERE ${heldBy(lease)} RETURNING id, cost_usd AS spent_usd, cost_budget_usd AS budget_usd
    ), ${budgetWarning(lease.runId, "held", costUsd, at)} ${Prisma.join(parts, ", ")}
    SELECT id ${results.length > 0 ? Prisma.sql`, ARRAY(SELECT id FROM resulted) AS results` : Prisma.empty} FROM held`;
}

/** The step of the turn; where its end comes with it, both at once. */
function stepParts({ turn, end }: RunWrite): Prisma.Sql[] {
  const last = end?.end.lastStep;
  if (turn) return [Prisma.sql`stepped AS (${turnStep(turn, last ? { move: last, at: end.at } : null)})`];
  return last ? [Prisma.sql`stepped AS (${stepUpdate(last, end.at, "held")})`] : [];
}

/** A result that was not kept has no event, nor has what others had ended before. Most writes leave nothing open, and their texts are few. */
function eventsOf({ results, turn, end }: RunWrite): Prisma.Sql {
  const about: PlacedEvent[] = results.map(({ result, event }) => ({ about: result.callId, event }));
  const plain = (turn?.events ?? []).map((event) => ({ about: null, event }));
  const { last = [], left = [], ended = [] } = end?.events ?? {};
  const events = [...about, ...plain, ...last, ...left, ...ended];
  const kept = results.length > 0 ? Prisma.sql`SELECT id FROM resulted` : null;
  if (left.length > 0) return insertManyEventsAbout(events, "held", kept ? Prisma.sql`${ENDED_IDS} UNION ALL ${kept}` : ENDED_IDS);
  return kept ? insertEventsAbout(events, "held", kept) : insertEvents(events.map(({ event }) => event), "held");
}
