import type { Db } from "@/lib/database/client";

export interface Pause {
  since: Date;
  /** Name of the person who paused the calls; null when unknown. */
  by: string | null;
}

/** Whether all calls are paused, since when and by whom; null when they are not. */
export async function findPause(db: Db): Promise<Pause | null> {
  const row = await db.setting.findUnique({ where: { key: "dispatch.paused" } });
  if (row?.value !== true) return null;
  const by = row.updatedBy ?? "";
  const [user, token] = await Promise.all([
    db.user.findUnique({ where: { id: by }, select: { name: true } }),
    db.apiToken.findUnique({ where: { id: by }, select: { user: { select: { name: true } } } }),
  ]);
  return { since: row.updatedAt, by: user?.name ?? token?.user.name ?? null };
}
