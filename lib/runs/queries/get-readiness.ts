import { HEARTBEAT_STALE_MS } from "@/lib/limits";
import { type DurabilityWarning, listDurabilityWarnings } from "@/lib/database/rules/judge-durability";
import type { Db } from "@/lib/database/client";
import { getDurability } from "@/lib/database/queries/get-durability";

export interface Readiness {
  database: "ok" | "unreachable";
  /** Any live worker is enough: it can advance all runs. */
  worker: "ok" | "silent" | "unknown";
  /** Settings that let the database lose commits; it still serves. */
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
