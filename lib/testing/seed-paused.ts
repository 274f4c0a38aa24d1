/** Makes many paused runs out of one: the same journal under other ids, sealed again, and the rows that go with it. */
import pg from "pg";
import { connect, type Db } from "@/lib/database/client";
import type { RunChange } from "@/lib/runs/changes/registry";
import { linkChanges } from "@/lib/runs/journal/commit";
import { type Entry, NO_HEAD } from "@/lib/runs/journal/entry";
import { changesOf } from "@/lib/runs/journal/fold";
import { getOpenRun } from "@/lib/runs/journal/open-run";
import { emptySnapshot } from "@/lib/runs/changes/run-created";
import { projectAll } from "@/lib/testing/project-all";

/** The last letters of each id are replaced by a number. */
const NUMBER_LENGTH = 8;
const ID = /\b(run|step|turn|call|apr)_[0-9a-z]{26}\b/g;
const BATCH = 500;
const PAUSED = { workflow: "paused" };

/** The run waits for people with one question, and has no secrets. */
export async function seedPaused(url: string, runId: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  const db = connect(url, 4);
  await client.connect();
  try {
    const original = await readOriginal(db, runId);
    for (let from = 1; from <= count; from += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, count - from + 1) }, (_, index) => from + index);
      await writeCopies(
        client,
        runId,
        numbers.map((number) => copyOf(original, number)),
      );
    }
    await projectAll(db);
    await client.query("VACUUM ANALYZE");
  } finally {
    await db.$disconnect();
    await client.end();
  }
}

interface Copy {
  id: string;
  approvalId: string;
  callId: string;
  stepId: string;
  entries: Entry[];
}

interface Original {
  runId: string;
  approval: { id: string; callId: string; stepId: string };
  commits: { at: Date; text: string }[];
}

async function readOriginal(db: Db, runId: string): Promise<Original> {
  const rows = await db.journal.findMany({ where: { runId }, orderBy: { seq: "asc" } });
  const approval = await db.approval.findFirstOrThrow({ where: { runId, status: "pending" } });
  const { run } = (await getOpenRun(db, runId)).snapshot;
  const text = (changes: RunChange[]) =>
    JSON.stringify(changes, (name, value: unknown) => (name === "workflow" ? PAUSED.workflow : value));
  return {
    runId,
    approval,
    commits: rows.map(({ at, body, data }) => ({
      at,
      text: text([...changesOf({ at: at.toISOString(), body, data }, run)]),
    })),
  };
}

function copyOf({ runId, approval, commits }: Original, number: number): Copy {
  const rename = (text: string) =>
    text.replaceAll(ID, (id) => id.slice(0, -NUMBER_LENGTH) + String(number).padStart(NUMBER_LENGTH, "0"));
  const id = rename(runId);
  const entries: Entry[] = [];
  for (const { at, text } of commits) {
    const last = entries.at(-1);
    const head = last ? { seq: last.seq, hash: last.hash } : NO_HEAD;
    const changes = JSON.parse(rename(text)) as RunChange[];
    const entry = linkChanges({ run: { snapshot: emptySnapshot(id), head }, changes, at });
    if (entry) entries.push(entry);
  }
  return {
    id,
    approvalId: rename(approval.id),
    callId: rename(approval.callId),
    stepId: rename(approval.stepId),
    entries,
  };
}

async function writeCopies(client: pg.Client, runId: string, copies: Copy[]): Promise<void> {
  const rows = copies.map(({ id, approvalId, callId, stepId, entries }) => ({
    run: { ...PAUSED, id, head: `\\x${entries.at(-1)?.hash.toString("hex")}` },
    approval: { ...PAUSED, id: approvalId, run_id: id, call_id: callId, step_id: stepId },
  }));
  await copyRows(
    client,
    { table: "runs", key: "id", of: runId },
    rows.map(({ run }) => run),
  );
  await copyRows(
    client,
    { table: "approvals", key: "run_id", of: runId },
    rows.map(({ approval }) => approval),
  );
  const entries = copies.flatMap((copy) => copy.entries);
  const column = <Name extends keyof Entry>(name: Name) => entries.map((entry) => entry[name]);
  await client.query(
    `INSERT INTO journal (run_id, seq, at, body, mac, hash, data)
     SELECT * FROM unnest($1::text[], $2::int[], $3::timestamptz[], $4::text[], $5::bytea[], $6::bytea[], $7::text[])`,
    [column("chain"), column("seq"), column("at"), column("body"), column("mac"), column("hash"), column("data")],
  );
}

interface Source {
  table: string;
  key: string;
  of: string;
}

/** The one row of the original, each time with other values. */
async function copyRows(client: pg.Client, { table, key, of }: Source, values: object[]): Promise<void> {
  const columns = await listColumns(client, table);
  const { rowCount } = await client.query(
    `INSERT INTO ${table} (${columns.join(", ")})
     SELECT ${columns.map((column) => `made.${column}`).join(", ")}
     FROM ${table} AS original_row, jsonb_array_elements($2::jsonb) AS other,
       LATERAL jsonb_populate_record(NULL::${table}, to_jsonb(original_row) || other) AS made
     WHERE original_row.${key} = $1`,
    [of, JSON.stringify(values)],
  );
  if (rowCount !== values.length)
    throw new Error(
      `${values.length} rows were due in ${table}, ${rowCount} were made: the run must have one question`,
    );
}

/** Without those that Postgres makes from the others. */
async function listColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query(
    "SELECT quote_ident(column_name) AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position",
    [table],
  );
  return rows.map(({ name }) => name as string);
}
