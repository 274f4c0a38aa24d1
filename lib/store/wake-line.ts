/**
 * The line on which processes call one another: "this run has something to do". It is only a call, sent after the commit and put
 * together over a moment; what it fails to deliver is found by the poll. The same session holds this process's sign of life, so a
 * process whose line is down must claim nothing: others would take it for dead.
 */
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { log } from "@/lib/log";
import { OWNER_LOCK_CLASS } from "@/lib/store/transitions/release-dead-owners";

const CHANNEL = "kimitsu_wake";
const COALESCE_MS = 2;
/** Far less than the grace that others give before they take this process for dead. */
const RECONNECT_MS = 100;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection can be dead without a word; one that does not answer for this long is opened again. */
const CHECK_INTERVAL_MS = 2_000;
/** A payload may hold 8,000 bytes; an id has 30. */
const IDS_PER_CALL = 200;

export interface WakeLine {
  call(runId: string): void;
  /** Resolves when the line is open for the first time. */
  readonly opened: Promise<void>;
  /** Whether others can see that this process lives. */
  isOpen(): boolean;
  /** Milliseconds since the line came back after it was down; null when it never was, or is. */
  backForMs(): number | null;
  /** Sends what waits, then hangs up: the lock is free, and others may take what is left. */
  close(): Promise<void>;
}

export function openWakeLine(url: string, ownerId: string, onCall: (runId: string) => void): WakeLine {
  const waiting = new Set<string>();
  const closing = new AbortController();
  let ask: Ask | null = null;
  let timer: NodeJS.Timeout | undefined;
  const first = Promise.withResolvers<void>();
  let openings = 0;
  let openedAt = 0;

  /** Resolves when the connection has ended, however it did. */
  const connect = async () => {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS });
    const askFresh = oneByOne(fresh);
    const ended = new Promise<void>((resolve) => fresh.once("end", resolve).on("error", () => resolve()));
    try {
      await fresh.connect();
      fresh.on("notification", ({ processId, payload }) => {
        if (processId !== processIdOf(fresh)) payload?.split(",").forEach(onCall);
      });
      // Shared, because a session of this process that the server has not given up yet may hold it still.
      await askFresh("SELECT pg_advisory_lock_shared($1, hashtext($2))", [OWNER_LOCK_CLASS, ownerId]);
      await askFresh(`LISTEN ${CHANNEL}`);
      ask = askFresh;
      openedAt = performance.now();
      if (openings++ > 0) log.info("the wake line is open again");
      first.resolve();
      const isAlive = () => askFresh("SELECT 1").then(() => true, () => false);
      while (!closing.signal.aborted) {
        const over = await Promise.race([ended.then(() => true), pausing(CHECK_INTERVAL_MS, closing.signal)]);
        if (over || !(await isAlive())) return;
      }
    } finally {
      ask = null;
      hangUp(fresh);
    }
  };

  const keepOpen = async () => {
    let isFailing = false;
    while (!closing.signal.aborted) {
      try {
        await connect();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, "the wake line is down; this process takes no runs until it is open");
        isFailing = true;
      }
      await pausing(RECONNECT_MS, closing.signal);
    }
  };
  const kept = keepOpen();

  const flush = async () => {
    timer = undefined;
    const ids = [...waiting].slice(0, IDS_PER_CALL);
    ids.forEach((id) => waiting.delete(id));
    if (ids.length > 0) await ask?.("SELECT pg_notify($1, $2)", [CHANNEL, ids.join(",")]).catch(() => undefined);
    if (waiting.size > 0) timer ??= setTimeout(() => void flush(), COALESCE_MS);
  };

  return {
    call(runId) {
      waiting.add(runId);
      timer ??= setTimeout(() => void flush(), COALESCE_MS);
    },
    opened: first.promise,
    isOpen: () => ask !== null,
    backForMs: () => (ask !== null && openings > 1 ? performance.now() - openedAt : null),
    async close() {
      while (waiting.size > 0 && ask) {
        clearTimeout(timer);
        await flush();
      }
      clearTimeout(timer);
      closing.abort();
      await kept;
    },
  };
}

type Ask = (text: string, values?: unknown[]) => Promise<unknown>;

/** The driver wants one question at a time of each connection. */
function oneByOne(client: pg.Client): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const answer = last.then(() => client.query(text, values));
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** False after the time, or when the signal ends it. */
const pausing = (ms: number, signal: AbortSignal): Promise<boolean> => delay(ms, false, { signal }).catch(() => false);

/** The number of the server's process behind the connection; a call of one's own comes back under it. */
const processIdOf = (client: pg.Client): number | undefined => (client as pg.Client & { processID?: number }).processID;

/** Says goodbye where that is possible. It is not waited for: a server that is gone answers nothing. */
function hangUp(client: pg.Client): void {
  client.end().catch(() => undefined);
}
