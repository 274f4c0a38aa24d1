import { HEARTBEAT_STALE_MS } from "@/lib/domain/limits";
import type { Db } from "@/lib/store/client";

export interface Readiness {
  database: "ok" | "unreachable";
  /** Any live worker will do: runs go on wherever one is. */
  worker: "ok" | "silent" | "unknown";
}

export async function getReadiness(db: Db, now: Date): Promise<Readiness> {
  try {
    const alive = await db.worker.findFirst({ where: { heartbeatAt: { gt: new Date(now.getTime() - HEARTBEAT_STALE_MS) } }, select: { id: true } });
    return { database: "ok", worker: alive ? "ok" : "silent" };
  } catch {
    return { database: "unreachable", worker: "unknown" };
  }
}
