/** The floor: durable commits of a single row, which no engine can go below. */
import pg from "pg";
import { measure } from "./measure.mjs";

const plan = JSON.parse(process.argv[2]);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await pool.query("CREATE TABLE IF NOT EXISTS bench_floor (id bigserial PRIMARY KEY, body text)");
const cycle = async () => {
  const startedAt = performance.now();
  await pool.query("INSERT INTO bench_floor (body) VALUES ('x')");
  return performance.now() - startedAt;
};
await measure({ cycle, count: 200, concurrency: 8 });
const results = [];
for (const { concurrency, count } of plan.rounds) results.push(await measure({ cycle, count: count * 10, concurrency }));
console.log(JSON.stringify(results));
await pool.end();
