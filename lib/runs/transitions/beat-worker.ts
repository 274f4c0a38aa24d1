/** A worker's heartbeat, and its end. */
import type { Db } from "@/lib/database/client";

export async function beatWorker(
  db: Db,
  worker: { id: string; process: string; capacity: number },
  at: Date,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO workers (id, process, capacity, started_at, heartbeat_at) VALUES (${worker.id}, ${worker.process}, ${worker.capacity}, ${at}, ${at})
    ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`;
}

export async function removeWorker(db: Db, workerId: string): Promise<void> {
  await db.$executeRaw`DELETE FROM workers WHERE id = ${workerId}`;
}

/** Rows of workers that died without signing off; they stay readable for an hour, for diagnosis. */
export async function pruneWorkers(db: Db, now: Date): Promise<void> {
  await db.$executeRaw`DELETE FROM workers WHERE heartbeat_at < ${new Date(now.getTime() - 3_600_000)}`;
}
