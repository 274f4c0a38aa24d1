import type { Db } from "@/lib/database/client";

/** Whether an admin holds all calls back. */
export async function isDispatchPaused(db: Db): Promise<boolean> {
  const row = await db.setting.findUnique({ where: { key: "dispatch.paused" } });
  return row?.value === true;
}
