/** One method for everyone: a number of cycles, a number at a time; a cycle returns how long its second half took. */
import { readdirSync, readFileSync } from "node:fs";

/** `cycle()` resolves with the milliseconds from decision to done. */
export async function measure({ cycle, count, concurrency }) {
  const decisionMs = [];
  let left = count;
  const startedAt = performance.now();
  const lane = async () => {
    while (left-- > 0) decisionMs.push(await cycle());
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  decisionMs.sort((a, b) => a - b);
  const at = (share) => decisionMs[Math.min(decisionMs.length - 1, Math.floor(decisionMs.length * share))];
  return { seconds, decisionMs, perSecond: count / seconds, p50: at(0.5), p99: at(0.99) };
}

/** Milliseconds of one clock tick in /proc, which is the same on all common Linux systems. */
const TICK_MS = 10;

/**
 * Milliseconds of processor that Postgres has used: its first process with all that it started, ended ones included.
 * Null where there is no /proc.
 */
async function postgresMs(client) {
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  const { parent } = readTimes(rows[0].pid) ?? {};
  if (parent === undefined) return null;
  let ticks = readTimes(parent).ended;
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/.test(name) ? readTimes(name) : null;
    if (times && (name === String(parent) || times.parent === parent)) ticks += times.own;
  }
  return ticks * TICK_MS;
}

function readTimes(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // What comes before may contain spaces: the name of the process.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { parent: fields[1], own: fields[11] + fields[12], ended: fields[13] + fields[14] };
}

/**
 * What Postgres did for it: bytes of its log, and transactions that wrote (those that get a number, and have to reach
 * the disk). Both are exact immediately, unlike the counters of commits, which every connection reports with a delay.
 */
export async function cost(client, count, work) {
  const read = async () => {
    const { rows } = await client.query(
      "SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, pg_snapshot_xmax(pg_current_snapshot())::text AS transaction",
    );
    const { user, system } = process.cpuUsage();
    return {
      wal: Number(rows[0].wal),
      transaction: Number(rows[0].transaction),
      ownMs: (user + system) / 1000,
      postgresMs: await postgresMs(client),
    };
  };
  const before = await read();
  const result = await work();
  const after = await read();
  return {
    ...result,
    walBytes: Math.round((after.wal - before.wal) / count),
    writes: (after.transaction - before.transaction) / count,
    ...shareProcessor(before, after, count),
  };
}

/** Milliseconds of a cycle in this process and in Postgres, and their sum. */
function shareProcessor(before, after, count) {
  const ownMs = (after.ownMs - before.ownMs) / count;
  const postgresMs = after.postgresMs === null ? Number.NaN : (after.postgresMs - before.postgresMs) / count;
  return { ownMs, postgresMs, processorMs: ownMs + postgresMs };
}
