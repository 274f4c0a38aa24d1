/** How far the projector has read the journal as a whole. */
import type { Db } from "@/lib/database/client";
import { PLAN_ONCE } from "@/lib/database/plan-anew";

const PLACE_KEY = "projections.place";

export interface Place {
  /** Rows of transactions before this one have been read. */
  tx: bigint;
  /** Set while all chains are being read in the order of their ids: the last one that was. */
  fill: string | null;
}

export interface Look {
  /** As it is in the database; a move must name it. */
  stored: string | null;
  place: Place;
  /** Transactions before this one are over: no more rows of theirs will appear. */
  horizon: bigint;
}

/**
 * Without a place everything is read. The same applies when the database was restored into a server with other
 * transaction numbers, because it is not known then where rows would appear.
 */
export async function readPlace(db: Db): Promise<Look> {
  const [row] = await db.$queryRaw<{ stored: string | null; horizon: string }[]>`${PLAN_ONCE}
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
      (SELECT value::text FROM settings WHERE key = ${PLACE_KEY}) AS stored`;
  if (!row) throw new Error("unreachable: a statement without a FROM gives one row");
  const horizon = BigInt(row.horizon);
  const place = toPlace(row.stored);
  return { stored: row.stored, horizon, place: place && place.tx <= horizon ? place : { tx: horizon, fill: "" } };
}

/** Does nothing when somebody has moved it meanwhile: they decide where to continue. */
export async function movePlace(
  db: Pick<Db, "$executeRaw">,
  { stored }: Pick<Look, "stored">,
  to: Place,
): Promise<void> {
  const value = JSON.stringify({ tx: String(to.tx), fill: to.fill });
  if (stored === null) {
    await db.$executeRaw`INSERT INTO settings (key, value) VALUES (${PLACE_KEY}, ${value}::jsonb) ON CONFLICT DO NOTHING`;
  } else {
    await db.$executeRaw`UPDATE settings SET value = ${value}::jsonb, updated_at = now()
      WHERE key = ${PLACE_KEY} AND value = ${stored}::jsonb`;
  }
}

/** From here on everything is read again. */
export async function resetPlace(db: Pick<Db, "$executeRaw">): Promise<void> {
  await db.$executeRaw`INSERT INTO settings (key, value)
    SELECT ${PLACE_KEY}, jsonb_build_object('tx', pg_snapshot_xmin(pg_current_snapshot())::text, 'fill', '')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`;
}

function toPlace(stored: string | null): Place | null {
  const { tx, fill } = (stored === null ? {} : JSON.parse(stored)) as { tx?: unknown; fill?: unknown };
  if (typeof tx !== "string") return null;
  return { tx: BigInt(tx), fill: typeof fill === "string" ? fill : null };
}
