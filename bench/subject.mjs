/**
 * The tasks of every subject. A subject opens as `{ start, decide, recover, close }`: `start()` resolves with an id
 * once the run is parked in Postgres and asks for approval; `decide(id)` approves, knowing only the id, and resolves
 * when the run has ended; `recover(id)` does what its documentation says to do after a crash, and resolves with
 * "ended", "asks" (for approval, once more) or "review" (a person sees that it is unknown whether the tool ran).
 * `openOther()`, if present, is a second instance for deciding.
 */
import pg from "pg";
import { cost, measure } from "./measure.mjs";

/** Connections of each subject's pool. */
export const POOL_SIZE = 20;

export async function runSubject(open, { url, task }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE TABLE IF NOT EXISTS bench_acts (at timestamptz NOT NULL DEFAULT now())");
  const acts = async () => (await client.query("SELECT count(*)::int AS count FROM bench_acts")).rows[0].count;
  const count = () => client.query("INSERT INTO bench_acts DEFAULT VALUES");
  const TASKS = { measure: measureSubject, approveTwice, dieInTool, recover };
  const result = await TASKS[task.kind]({ open, url, client, task, acts, count });
  console.log(JSON.stringify(result));
  await client.end();
  process.exit(0);
}

async function measureSubject({ open, url, client, task }) {
  let acted = 0;
  const subject = await open({ url, onAct: () => void acted++ });
  const cycle = async () => {
    const id = await subject.start();
    const decidedAt = performance.now();
    await subject.decide(id);
    return performance.now() - decidedAt;
  };
  await measure({ cycle, count: task.warmUp, concurrency: 8 });
  const rounds = [];
  for (const { concurrency, count } of task.rounds)
    rounds.push(await cost(client, count, () => measure({ cycle, count, concurrency })));
  const cycles = task.warmUp + task.rounds.reduce((sum, { count }) => sum + count, 0);
  if (acted !== cycles) throw new Error(`${cycles} cycles, but the tool ran ${acted} times`);
  await subject.close();
  return rounds;
}

/** Two people press Approve at the same moment, each on an instance of their own, as in two processes. */
async function approveTwice({ open, url, task, acts, count }) {
  const one = await open({ url, onAct: count });
  const other = one.openOther ? await one.openOther() : await open({ url, onAct: count });
  const before = await acts();
  let refused = 0;
  for (let run = 0; run < task.runs; run++) {
    const id = await one.start();
    const outcomes = await Promise.allSettled([one.decide(id), other.decide(id)]);
    refused += outcomes.filter(({ status }) => status === "rejected").length;
  }
  return { runs: task.runs, acts: (await acts()) - before, refused };
}

/**
 * The process is killed after the tool took effect and before it answered. Prints the run's id first, since nothing
 * comes after.
 */
async function dieInTool({ open, url, client, count }) {
  await client.query("TRUNCATE bench_acts");
  const subject = await open({
    url,
    onAct: async () => {
      await count();
      process.kill(process.pid, "SIGKILL");
      await new Promise(() => undefined);
    },
  });
  const id = await subject.start();
  console.log(JSON.stringify({ id }));
  await subject.decide(id);
  throw new Error("the tool was never reached");
}

/**
 * In another process: continues the run that died in its tool. One that asks for approval again gets it: nothing shows
 * the person that the tool has run.
 */
async function recover({ open, url, task, acts, count }) {
  const subject = await open({ url, onAct: count });
  const end = await subject.recover(task.id);
  if (end === "asks") await subject.decide(task.id);
  return { acts: await acts(), end };
}
