/** Keeps one of Kimitsu's own notes (not a person's choice, which has its own event). */
import type { Db } from "@/lib/store/client";

export async function writeSetting(db: Pick<Db, "$executeRaw">, setting: { key: string; value: object }, at: Date): Promise<void> {
  await db.$executeRaw`
    INSERT INTO settings (key, value, updated_at) VALUES (${setting.key}, ${JSON.stringify(setting.value)}::jsonb, ${at})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;
}
