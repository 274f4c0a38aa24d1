/** Stores one of Kimitsu's own settings (not a person's choice, which has its own event). */
import type { Db } from "@/lib/database/client";

type Note = { key: string; value: object };

export async function writeSetting(db: Pick<Db, "$executeRaw">, setting: Note, at: Date): Promise<void> {
  await db.$executeRaw`
    INSERT INTO settings (key, value, updated_at) VALUES (${setting.key}, ${JSON.stringify(setting.value)}::jsonb, ${at})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;
}

/** True for the first to write it, however many try at the same time; for all others it stays unchanged. */
export async function writeSettingOnce(db: Pick<Db, "$executeRaw">, setting: Note, at: Date): Promise<boolean> {
  return (
    (await db.$executeRaw`INSERT INTO settings (key, value, updated_at) VALUES (${setting.key}, ${JSON.stringify(setting.value)}::jsonb, ${at}) ON CONFLICT DO NOTHING`) ===
    1
  );
}
