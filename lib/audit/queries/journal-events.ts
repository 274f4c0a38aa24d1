import { Prisma } from "@/lib/database/generated/client";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";

/** Written out, so that it is the same text in each statement. A body leaves it out. */
const SYSTEM = Prisma.raw(`'${JSON.stringify(SYSTEM_ACTOR)}'::jsonb`);

/** Of a journal row, as SQL gives them. The columns are named as those of the projection `events`. */
const EVENT = Prisma.sql`e.id, j.run_id AS chain_id, j.seq, e.type, coalesce(e.at, j.at) AS at,
  by.actor ->> 'kind' AS actor_kind, by.actor ->> 'id' AS actor_id, by.actor ->> 'name' AS actor_name, by.actor, e.data, j.tx`;

/** The events of journal rows, as a subselect. `which` is about the row `j` and its event `e`. */
export const journalEvents = (which: Prisma.Sql): Prisma.Sql => Prisma.sql`(SELECT ${EVENT}
  FROM journal j CROSS JOIN LATERAL jsonb_to_recordset(j.body::jsonb -> 'events')
    AS e (id text, type text, at timestamptz, actor jsonb, data jsonb)
    CROSS JOIN LATERAL (SELECT coalesce(e.actor, ${SYSTEM}) AS actor) AS by
  WHERE ${which})`;

/** Where the projector notes up to which transaction it has looked at the journal. */
const PROJECTED_KEY = "projections.place";

/** Nothing is noted before the first look, while all chains are gone through, or by a server that counted otherwise. */
const PROJECTED_TO = Prisma.sql`coalesce((SELECT (value ->> 'tx')::bigint FROM settings WHERE key = ${PROJECTED_KEY}
    AND value ->> 'fill' IS NULL AND (value ->> 'tx')::bigint <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 0)`;

/**
 * The rows `j` that the projector may not have looked at. That a bound stands above them too, which holds for all, tells
 * the planner that they are few: of one bound that it does not know it takes a third of the journal to be meant.
 */
export const IS_RECENT = Prisma.sql`j.tx >= ${PROJECTED_TO} AND j.tx < 9223372036854775807`;

/**
 * The rows `j` that are not projected yet. What is true of each row is in projected_runs; the noted transaction only
 * spares the way through the rows before it. It is asked for each row as a value and not as EXISTS, which would be made
 * a join over all of that table.
 */
export const IS_UNPROJECTED = Prisma.sql`${IS_RECENT}
  AND (SELECT p.seq >= j.seq FROM projected_runs p WHERE p.run_id = j.run_id) IS NOT TRUE`;
