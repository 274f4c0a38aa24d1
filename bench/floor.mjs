/** The floor: durable commits of a single row, which no engine can go below. */
import pg from "pg";
import { cost, measure } from "./measure.mjs";
import { POOL_SIZE } from "./subject.mjs";

const { rounds } = JSON.parse(process.argv[2]);
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: POOL_SIZE });
await pool.query("CREATE TABLE IF NOT EXISTS bench_floor (id bigserial PRIMARY KEY, body text)");
const cycle = async () => {
  const startedAt = performance.now();
  await pool.query("INSERT INTO bench_floor (body) VALUES ('x')");
  return performance.now() - startedAt;
};
await measure({ cycle, count: 200, concurrency: 8 });
const results = [];
for (const { concurrency, count } of rounds)
  results.push(await cost(client, count * 10, () => measure({ cycle, count: count * 10, concurrency })));
console.log(JSON.stringify(results));
await client.end();
await pool.end();
