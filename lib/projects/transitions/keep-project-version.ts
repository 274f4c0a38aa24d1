/** Keeps the project that runs are about to start with; one that is kept already stays as it is. */
import type { Db } from "@/lib/database/client";
import { sealSecret } from "@/lib/database/secret-box";

export async function keepProjectVersion(
  db: Db,
  version: { hash: string; files: Record<string, string>; environment: string | null },
  at: Date,
): Promise<void> {
  const content = sealSecret(JSON.stringify({ files: version.files, environment: version.environment }));
  await db.$executeRaw`INSERT INTO project_versions (hash, content, created_at) VALUES (${version.hash}, ${content}, ${at}) ON CONFLICT DO NOTHING`;
}
