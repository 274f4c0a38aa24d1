import { Prisma } from "@/lib/database/generated/client";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";

/** A literal, so that each statement has the same text. A body omits this actor. */
const SYSTEM = Prisma.raw(`'${JSON.stringify(SYSTEM_ACTOR)}'::jsonb`);

/** Columns of an event of a journal row, named like those of the projection `events`. */
const EVENT = Prisma.sql`e.id, j.run_id AS chain_id, j.seq, e.type, coalesce(e.at, j.at) AS at,
  by.actor ->> 'kind' AS actor_kind, by.actor ->> 'id' AS actor_id, by.actor ->> 'name' AS actor_name, by.actor, e.data, j.tx`;

/** The events of journal rows, as a subselect. `which` is a condition on the row `j` and its event `e`. */
export const journalEvents = (which: Prisma.Sql): Prisma.Sql => Prisma.sql`(SELECT ${EVENT}
  FROM journal j CROSS JOIN LATERAL jsonb_to_recordset(j.body::jsonb -> 'events')
    AS e (id text, type text, at timestamptz, actor jsonb, data jsonb)
    CROSS JOIN LATERAL (SELECT coalesce(e.actor, ${SYSTEM}) AS actor) AS by
  WHERE ${which})`;

/** Setting in which the projector records up to which transaction it has read the journal. */
const PROJECTED_KEY = "projections.place";

/**
 * 0 before the first look, while all chains are being read, or after a move to a server with other transaction numbers.
 */
const PROJECTED_TO = Prisma.sql`coalesce((SELECT (value ->> 'tx')::bigint FROM settings WHERE key = ${PROJECTED_KEY}
    AND value ->> 'fill' IS NULL AND (value ->> 'tx')::bigint <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 0)`;

/**
 * The rows `j` that the projector may not have read yet. The upper bound holds for all rows, but makes the planner
 * expect few: for a single unknown bound it assumes a third of the journal.
 */
export const IS_RECENT = Prisma.sql`j.tx >= ${PROJECTED_TO} AND j.tx < 9223372036854775807`;

/**
 * The rows `j` that are not projected yet. projected_runs is authoritative for each row; the recorded transaction only
 * avoids reading the rows before it. It is looked up as a scalar per row, because EXISTS would become a join over that
 * whole table.
 */
export const IS_UNPROJECTED = Prisma.sql`${IS_RECENT}
  AND (SELECT p.seq >= j.seq FROM projected_runs p WHERE p.run_id = j.run_id) IS NOT TRUE`;
