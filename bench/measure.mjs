/** One way of measuring for everyone: so many cycles, so many at a time; a cycle says how long its second half took. */

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

/**
 * What Postgres did for it: bytes of its log, and transactions that wrote (those that get a number, and have to reach the disk). Both are exact at once,
 * unlike the counters of commits, which every connection reports when it finds the time.
 */
export async function cost(client, count, work) {
  const read = async () => {
    const { rows } = await client.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, pg_snapshot_xmax(pg_current_snapshot())::text AS transaction");
    return { wal: Number(rows[0].wal), transaction: Number(rows[0].transaction) };
  };
  const before = await read();
  const result = await work();
  const after = await read();
  return { ...result, walBytes: Math.round((after.wal - before.wal) / count), writes: (after.transaction - before.transaction) / count };
}
