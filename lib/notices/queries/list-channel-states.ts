import type { Db } from "@/lib/database/client";

export interface ChannelState {
  channel: string;
  waiting: number;
  sentAt: Date | null;
  /** The newest failure after which nothing was sent. */
  failure: { at: Date; error: string; isGivenUp: boolean } | null;
}

/** The state of each channel of a project, by name. */
export async function listChannelStates(db: Db, channels: readonly string[]): Promise<ChannelState[]> {
  return Promise.all(channels.map((channel) => readState(db, channel)));
}

async function readState(db: Db, channel: string): Promise<ChannelState> {
  const [waiting, sent, failed] = await Promise.all([
    db.notice.count({ where: { channel, endedAt: null } }),
    db.notice.findFirst({
      where: { channel, outcome: "sent" },
      orderBy: { id: "desc" },
      select: { id: true, endedAt: true },
    }),
    db.notice.findFirst({
      where: { channel, lastError: { not: null }, OR: [{ outcome: "failed" }, { outcome: null }] },
      orderBy: { id: "desc" },
    }),
  ]);
  const isNewer = failed !== null && (sent === null || failed.id > sent.id);
  return {
    channel,
    waiting,
    sentAt: sent?.endedAt ?? null,
    failure: isNewer
      ? { at: failed.endedAt ?? failed.createdAt, error: failed.lastError ?? "", isGivenUp: failed.endedAt !== null }
      : null,
  };
}
