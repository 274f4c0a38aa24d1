/**
 * Fills a database as years of use would leave it: for each run some ten events, three steps, three turns, two calls;
 * people were asked about one in five runs, and a tenth of all waits for people with two questions each, of which each
 * reviewer has set some aside. Some have an answer to review; cancelled ones have a call with an unknown outcome.
 */
import { connect, type Db } from "@/lib/database/client";
import { createProjectionTask } from "@/lib/runs/projections/project-news";
import { projectAll } from "@/lib/testing/project-all";
import { keepTestVersion, writeRuns } from "@/lib/testing/write-runs";
import { seededId, buildSeededRun } from "./seeded-run";

export interface Seeded {
  runs: number;
  /** A person who may decide, for "mine". */
  reviewerId: string;
}

export const PEOPLE = 40;
const BATCH = 1_000;
/** Of the oldest questions, by each reviewer; with few runs there are fewer, and still more than a page. */
const SET_ASIDE_MAX = 300;
const ROLES = ["viewer", "reviewer", "operator", "admin"] as const;
const DEFINITION = { name: "tool", inputSchema: { type: "object" } };

export async function seedConsole(url: string, runs: number): Promise<Seeded> {
  const db = connect(url, 4);
  try {
    await writePeople(db);
    await keepTestVersion(db);
    for (let from = 1; from <= runs; from += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, runs - from + 1) }, (_, index) => from + index);
      await writeRuns(
        db,
        numbers.map((number) => buildSeededRun(number, runs)),
      );
      await projectAll(db);
    }
    // Records the position of the projector, as in use: otherwise each search would look for its tail from the first
    // row on.
    await createProjectionTask(db)();
    await setAside(db);
    const tools = Array.from({ length: 60 }, (_, index) => index + 1);
    const known = tools.map((number) => ({ server: `server-${number % 8}`, tool: `tool-${number}`, fingerprint: "f" }));
    await db.toolDefinition.createMany({ data: known.map((tool) => ({ ...tool, definition: DEFINITION })) });
    await db.$executeRawUnsafe("VACUUM ANALYZE");
    return { runs, reviewerId: seededId("usr", 1) };
  } finally {
    await db.$disconnect();
  }
}

async function writePeople(db: Db): Promise<void> {
  const numbers = Array.from({ length: PEOPLE }, (_, index) => index + 1);
  const data = numbers.map((number) => ({
    id: seededId("usr", number),
    email: `person${number}@example.org`,
    name: `Person ${number}`,
    role: ROLES[number % ROLES.length] ?? "viewer",
  }));
  await db.user.createMany({ data });
}

async function setAside(db: Db): Promise<void> {
  await db.$executeRaw`INSERT INTO set_asides (approval_id, user_id, note, version, until, created_at)
    SELECT asked.id, users.id, CASE WHEN asked.place % 2 = 0 THEN 'Asked the customer' END, asked.version,
      CASE WHEN asked.place % 4 < 2 THEN now() + interval '1 day' END, now()
    FROM (
      SELECT id, version, row_number() OVER (ORDER BY id) AS place FROM approvals
      WHERE status = 'pending' AND abs(hashtext(id)) % 3 = 0 ORDER BY id LIMIT ${SET_ASIDE_MAX}
    ) AS asked, users WHERE users.role = 'reviewer'`;
}
