import { HEARTBEAT_STALE_MS } from "@/lib/limits";
import { type DurabilityWarning, listDurabilityWarnings } from "@/lib/database/rules/judge-durability";
import type { Db } from "@/lib/database/client";
import { getDurability } from "@/lib/database/queries/get-durability";

export interface Readiness {
  database: "ok" | "unreachable";
  /** Any live worker will do: runs go on wherever one is. */
  worker: "ok" | "silent" | "unknown";
  /** What lets the database forget commits; it serves all the same. */
  warnings: DurabilityWarning["code"][];
}

export async function getReadiness(db: Db, now: Date): Promise<Readiness> {
  try {
    const alive = await db.worker.findFirst({
      where: { heartbeatAt: { gt: new Date(now.getTime() - HEARTBEAT_STALE_MS) } },
      select: { id: true },
    });
    const warnings = listDurabilityWarnings(await getDurability(db)).map(({ code }) => code);
    return { database: "ok", worker: alive ? "ok" : "silent", warnings };
  } catch {
    return { database: "unreachable", worker: "unknown", warnings: [] };
  }
}
