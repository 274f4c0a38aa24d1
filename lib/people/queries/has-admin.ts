import type { Db } from "@/lib/database/client";

export async function hasAdmin(db: Db): Promise<boolean> {
  return (await db.user.findFirst({ where: { role: "admin" }, select: { id: true } })) !== null;
}
