import type { Db } from "@/lib/database/client";

export async function hasRuns(db: Db): Promise<boolean> {
  return (await db.run.findFirst({ select: { id: true } })) !== null;
}
