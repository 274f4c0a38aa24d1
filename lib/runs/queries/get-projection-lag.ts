/** How far the projections are behind the journal: the age of the oldest unprojected row. */
import type { Db } from "@/lib/database/client";
import { readPlace } from "@/lib/runs/projections/place";

export async function getProjectionLag(db: Db, now: Date): Promise<{ behindMs: number }> {
  const { place } = await readPlace(db);
  const [oldest] = await db.$queryRaw<{ at: Date }[]>`
    SELECT j.at FROM journal j LEFT JOIN projected_runs p ON p.run_id = j.run_id
    WHERE j.tx >= ${place.tx} AND j.seq > coalesce(p.seq, 0) ORDER BY j.tx LIMIT 1`;
  const [unfilled] =
    place.fill === null
      ? []
      : await db.$queryRaw<{ at: Date }[]>`
    SELECT r.created_at AS at FROM runs r LEFT JOIN projected_runs p ON p.run_id = r.id
    WHERE r.id > ${place.fill} AND r.seq > coalesce(p.seq, 0) ORDER BY r.id LIMIT 1`;
  const times = [oldest, unfilled].flatMap((row) => (row ? [now.getTime() - row.at.getTime()] : []));
  return { behindMs: Math.max(0, ...times) };
}
