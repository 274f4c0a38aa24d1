import type { Db } from "@/lib/database/client";

export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const row = await db.user.findUnique({ where: { id: userId }, select: { passwordHash: true } });
  return row?.passwordHash ?? null;
}
