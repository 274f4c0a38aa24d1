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
  return { perSecond: count / seconds, p50: at(0.5), p99: at(0.99) };
}

/** What Postgres did for it: bytes of its log and commits, from its own counters. */
export async function cost(client, count, work) {
  const read = async () => {
    await client.query("SELECT pg_stat_force_next_flush()");
    const { rows } = await client.query(
      "SELECT pg_current_wal_lsn() - '0/0' AS wal, (SELECT sum(xact_commit) FROM pg_stat_database WHERE datname = current_database()) AS commits",
    );
    return { wal: Number(rows[0].wal), commits: Number(rows[0].commits) };
  };
  const before = await read();
  const result = await work();
  const after = await read();
  return { ...result, walBytes: Math.round((after.wal - before.wal) / count), commits: (after.commits - before.commits) / count };
}
