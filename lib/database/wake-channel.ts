/**
 * The wake channel, on which processes notify each other that a run has something to do. A notification is sent after
 * the commit and batched for a moment; the poll finds whatever it fails to deliver. The same session holds this
 * process's liveness lock, so a process whose channel is down must claim nothing: others would consider it dead.
 */
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { log } from "@/lib/log";
import { OWNER_LOCK_CLASS, WATCH_LOCK_CLASS } from "@/lib/runs/transitions/release-dead-owners";

const CHANNEL = "kimitsu_wake";
const COALESCE_MS = 2;
/** Far less than the grace period after which others consider this process dead. */
const RECONNECT_MS = 100;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * A connection can be dead without an error; one that does not answer for this long is reopened. Shorter than the lease
 * minus its renewal interval.
 */
const CHECK_INTERVAL_MS = 2_000;
/** While the database takes no writes nobody can renew a lease, so nobody counts as dead for that. */
const TAKES_WRITES =
  "SELECT NOT pg_is_in_recovery() AND NOT current_setting('transaction_read_only')::boolean AS writes";
/**
 * Makes Postgres close the session of a machine that is gone, which would otherwise keep its locks for two hours. It
 * takes about 11 s: not before a lease has ended, nor before a live process has reopened its channel.
 */
const NOTICE_LOST_MACHINE =
  "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3";
/** A payload may hold 8,000 bytes; an id has 30. */
const IDS_PER_CALL = 200;

export interface WakeChannel {
  call(runId: string): void;
  /** Resolves when the channel is open for the first time. */
  readonly opened: Promise<void>;
  /** Whether others can see that this process is alive, and the database takes writes. */
  isOpen(): boolean;
  /**
   * Milliseconds since the channel reopened or the database took writes again; null if it was never away, or is away
   * now.
   */
  backForMs(): number | null;
  /**
   * Whether this process is the one that watches for dead ones: from the first time that no other did, until its
   * session ends or `unwatch`.
   */
  watch(): Promise<boolean>;
  /** Leaves watching to the others. */
  unwatch(): Promise<void>;
  /** Sends pending notifications, then disconnects: this frees the lock, and others may take the remaining runs. */
  close(): Promise<void>;
}

export function openWakeChannel(url: string, ownerId: string, onCall: (runId: string) => void): WakeChannel {
  const waiting = new Set<string>();
  const closing = new AbortController();
  let session: Session | null = null;
  let timer: NodeJS.Timeout | undefined;
  const first = Promise.withResolvers<void>();
  let openings = 0;
  let openedAt = 0;
  let isWritable = true;
  let wasAway = false;

  /** False when the connection does not answer. */
  const look = async (askFresh: Ask): Promise<boolean> => {
    const answer = await askFresh(TAKES_WRITES).catch(() => null);
    if (!answer) return false;
    const takes = answer.rows[0]?.writes === true;
    if (!takes) wasAway = true;
    if (takes && !isWritable) openedAt = performance.now();
    if (takes !== isWritable) log.info({ takes }, "whether the database takes writes has changed");
    isWritable = takes;
    return true;
  };

  /** Resolves when the connection has ended, for whatever reason. */
  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
    });
    const askFresh = oneByOne(fresh);
    const ended = new Promise<void>((resolve) => fresh.once("end", resolve).on("error", () => resolve()));
    try {
      await fresh.connect();
      fresh.on("notification", ({ processId, payload }) => {
        if (processId !== processIdOf(fresh)) payload?.split(",").forEach(onCall);
      });
      // Shared, because an old session of this process that the server has not closed yet may still hold it.
      await askFresh("SELECT pg_advisory_lock_shared($1, hashtext($2))", [OWNER_LOCK_CLASS, ownerId]);
      await askFresh(NOTICE_LOST_MACHINE);
      await askFresh(`LISTEN ${CHANNEL}`);
      await look(askFresh);
      session = { ask: askFresh, isWatcher: false, trying: null };
      openedAt = performance.now();
      if (openings++ > 0) {
        wasAway = true;
        log.info("the wake channel is open again");
      }
      first.resolve();
      while (!closing.signal.aborted) {
        const over = await Promise.race([
          ended.then(() => true),
          pausing(isWritable ? CHECK_INTERVAL_MS : RECONNECT_MS, closing.signal),
        ]);
        if (over || !(await look(askFresh))) return;
      }
    } finally {
      session = null;
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
        if (!isFailing)
          log.warn({ err: error }, "the wake channel is down; this process takes no runs until it is open");
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
    if (ids.length > 0) await session?.ask("SELECT pg_notify($1, $2)", [CHANNEL, ids.join(",")]).catch(() => undefined);
    if (waiting.size > 0) timer ??= setTimeout(() => void flush(), COALESCE_MS);
  };

  return {
    call(runId) {
      waiting.add(runId);
      timer ??= setTimeout(() => void flush(), COALESCE_MS);
    },
    opened: first.promise,
    isOpen: () => session !== null && isWritable,
    watch: async () => (session ? watchIn(session) : false),
    unwatch: async () => (session ? unwatchIn(session) : undefined),
    backForMs: () => (session !== null && isWritable && wasAway ? performance.now() - openedAt : null),
    async close() {
      while (waiting.size > 0 && session) {
        clearTimeout(timer);
        await flush();
      }
      clearTimeout(timer);
      closing.abort();
      await kept;
    },
  };
}

type Ask = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/** The watcher's lock belongs to the session, so that it is free when the process is gone. */
interface Session {
  readonly ask: Ask;
  isWatcher: boolean;
  /** One attempt at a time: a lock that was taken twice would have to be released twice. */
  trying: Promise<boolean> | null;
}

const watchIn = (session: Session): Promise<boolean> =>
  (session.trying ??= tryToWatch(session).finally(() => (session.trying = null)));

async function tryToWatch(session: Session): Promise<boolean> {
  if (session.isWatcher) return true;
  const { rows } = await session.ask("SELECT pg_try_advisory_lock($1, 0) AS got", [WATCH_LOCK_CLASS]);
  return (session.isWatcher = rows[0].got);
}

async function unwatchIn(session: Session): Promise<void> {
  if (!session.isWatcher) return;
  session.isWatcher = false;
  await session.ask("SELECT pg_advisory_unlock($1, 0)", [WATCH_LOCK_CLASS]);
}

/** The driver allows one query at a time on each connection. */
function oneByOne(client: pg.Client): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const answer = last.then(() => client.query(text, values));
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** Always false: after the time, or when aborted. */
const pausing = (ms: number, signal: AbortSignal): Promise<boolean> => delay(ms, false, { signal }).catch(() => false);

/** Process id of the server's backend; this process's own notifications come back under it. */
const processIdOf = (client: pg.Client): number | undefined => (client as pg.Client & { processID?: number }).processID;

/** Ends the session if possible, without waiting: a server that is gone does not answer. */
function hangUp(client: pg.Client): void {
  client.end().catch(() => undefined);
}
