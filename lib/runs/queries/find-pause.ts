import type { Db } from "@/lib/database/client";

export interface Pause {
  since: Date;
  /** Whoever holds the calls back, by name; null when that is nobody who is known. */
  by: string | null;
}

/** That all calls are held back, since when and by whom; null when they go. */
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
