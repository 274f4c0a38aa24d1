import type { Db } from "@/lib/store/client";

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.user.findFirst({ select: { id: true } })) !== null;
}
