/**
 * The line on which processes call one another: "this run has something to do". It is only a call, sent after the commit and put
 * together over a moment; what it fails to deliver is found by the poll. The same session holds this process's sign of life.
 */
import pg from "pg";
import { log } from "@/lib/log";
import { OWNER_LOCK_CLASS } from "@/lib/store/transitions/release-dead-owners";

const CHANNEL = "kimitsu_wake";
const COALESCE_MS = 2;
const RECONNECT_MS = 500;
/** A payload may hold 8,000 bytes; an id has 30. */
const IDS_PER_CALL = 200;

export interface WakeLine {
  call(runId: string): void;
  close(): Promise<void>;
}

export function openWakeLine(url: string, ownerId: string, onCall: (runId: string) => void): WakeLine {
  const waiting = new Set<string>();
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const connect = async () => {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true });
    fresh.on("error", () => undefined);
    fresh.on("end", () => {
      client = null;
      if (!isClosed) setTimeout(() => void connect(), RECONNECT_MS).unref();
    });
    fresh.on("notification", ({ payload }) => payload?.split(",").forEach((id) => !waiting.has(id) && onCall(id)));
    try {
      await fresh.connect();
      await fresh.query("SELECT pg_advisory_lock($1, hashtext($2))", [OWNER_LOCK_CLASS, ownerId]);
      await fresh.query(`LISTEN ${CHANNEL}`);
      client = fresh;
    } catch (error) {
      log.debug({ err: error }, "the wake line is down; it is opened again");
      await fresh.end().catch(() => undefined);
    }
  };
  void connect();

  const flush = async () => {
    timer = undefined;
    const ids = [...waiting].slice(0, IDS_PER_CALL);
    ids.forEach((id) => waiting.delete(id));
    await client?.query("SELECT pg_notify($1, $2)", [CHANNEL, ids.join(",")]).catch(() => undefined);
    if (waiting.size > 0) timer ??= setTimeout(() => void flush(), COALESCE_MS);
  };

  return {
    call(runId) {
      waiting.add(runId);
      timer ??= setTimeout(() => void flush(), COALESCE_MS);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
