import type { Db } from "@/lib/database/client";

/** Whether an admin has paused all calls. */
export async function isDispatchPaused(db: Db): Promise<boolean> {
  const row = await db.setting.findUnique({ where: { key: "dispatch.paused" } });
  return row?.value === true;
}
