/**
 * Writes a message for each channel that wants the events since the last read. Events are committed together with what
 * they describe, so none is invented or left out, whichever process dies in between. One process at a time reads; the
 * others get null. The first read only records where to start.
 */
import type { NoticeType } from "@/lib/notices/rules/notice";
import { createId } from "@/lib/ids";
import type { Db } from "@/lib/database/client";
import { type EventPlace, listNoticeEvents } from "@/lib/notices/queries/list-notice-events";
import { writeSetting } from "@/lib/database/write-setting";

const NOTICE_LOCK = 7461003;
const PLACE_KEY = "notices.place";
const BATCH_MAX = 500;

export type ChannelsOf = (type: NoticeType, approvers: readonly string[]) => string[];

export async function queueNotices(db: Db, channelsOf: ChannelsOf, at: Date): Promise<{ isAll: boolean } | null> {
  return db.$transaction(async (tx) => {
    const [lock] = await tx.$queryRaw<
      { taken: boolean }[]
    >`SELECT pg_try_advisory_xact_lock(${NOTICE_LOCK}::bigint) AS taken`;
    if (!lock?.taken) return null;
    const [horizon] = await tx.$queryRaw<
      { tx: bigint }[]
    >`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS tx`;
    if (!horizon) throw new Error("unreachable: a snapshot without a horizon");
    const setting = await tx.setting.findUnique({ where: { key: PLACE_KEY } });
    const from = toPlace(setting?.value);
    // A database restored into a new server restarts its transaction numbers; only events from there on can be
    // reported.
    const isReadable = from !== null && from.tx <= horizon.tx;
    const events = isReadable ? await listNoticeEvents(tx, { after: from, before: horizon.tx, limit: BATCH_MAX }) : [];
    const rows = events.flatMap(({ place, type, facts }) => {
      const notice = { eventId: place.id, type, facts: { ...facts }, dueAt: at, createdAt: at };
      const channels = channelsOf(type, facts.approval?.approvers ?? []);
      return channels.map((channel) => ({ ...notice, id: createId("notice"), channel }));
    });
    if (rows.length > 0) await tx.notice.createMany({ data: rows, skipDuplicates: true });
    const isAll = events.length < BATCH_MAX;
    const next = isAll ? { tx: horizon.tx, id: "" } : (events.at(-1)?.place ?? { tx: horizon.tx, id: "" });
    await writeSetting(tx, { key: PLACE_KEY, value: { tx: String(next.tx), id: next.id } }, at);
    return { isAll };
  });
}

/** For a project without channels: when it gets a channel again, what happened meanwhile is not reported. */
export async function forgetNoticePlace(db: Db): Promise<void> {
  await db.setting.deleteMany({ where: { key: PLACE_KEY } });
}

function toPlace(value: unknown): EventPlace | null {
  const { tx, id } = (value ?? {}) as { tx?: unknown; id?: unknown };
  return typeof tx === "string" && typeof id === "string" ? { tx: BigInt(tx), id } : null;
}
