import { z } from "zod";
import type { Db } from "@/lib/database/client";
import { openSecret } from "@/lib/database/secret-box";

const contentSchema = z.object({ files: z.record(z.string(), z.string()), environment: z.string().nullable() });

export async function findProjectVersion(db: Db, hash: string): Promise<z.infer<typeof contentSchema> | null> {
  const row = await db.projectVersion.findUnique({ where: { hash } });
  return row && contentSchema.parse(JSON.parse(openSecret(row.content)));
}

export async function hasProjectVersion(db: Db, hash: string): Promise<boolean> {
  return (await db.projectVersion.findUnique({ where: { hash }, select: { hash: true } })) !== null;
}
