import { existsSync, readdirSync } from "node:fs";
import { type Finding, messageOf, ok, problem, warning } from "@/lib/cli/doctor/finding";
import { type Durability, listDurabilityWarnings } from "@/lib/database/rules/judge-durability";
import type { EngineDeps } from "@/lib/database/deps";
import { type DatabaseFacts, getDatabaseFacts } from "@/lib/database/queries/get-database-facts";
import { getDurability } from "@/lib/database/queries/get-durability";
import { getReadiness } from "@/lib/runs/queries/get-readiness";
import { isDispatchPaused } from "@/lib/runs/queries/is-dispatch-paused";
import { hasAdmin } from "@/lib/people/queries/has-admin";

/** Leases last seconds, and each process checks them with its own clock. */
const CLOCK_WARNING_MS = 500;
const CLOCK_PROBLEM_MS = 2_000;
const SLOW_MS = 50;
/** The oldest version on which the migrations were tested. */
export const VERSION_MIN = 15;

/** Reachable, with a supported version, migrated, with the same time as this machine, with a person and a worker. */
export async function checkDatabase(open: () => Promise<EngineDeps>, migrationsFolder: string): Promise<Finding[]> {
  let deps: EngineDeps;
  let facts: DatabaseFacts;
  try {
    deps = await open();
    facts = await getDatabaseFacts(deps.db, deps.now);
  } catch (error) {
    return [
      problem(
        "database",
        `cannot be used: ${messageOf(error)}`,
        "Check DATABASE_URL, and that Postgres runs; without DATABASE_URL `npm start` brings its own.",
      ),
    ];
  }
  const migrations = checkMigrations(facts, migrationsFolder);
  const findings = [
    checkServer(facts),
    checkUser(facts),
    checkClock(facts),
    ...checkDurability(await getDurability(deps.db)),
    migrations,
  ];
  return migrations.state === "problem" ? findings : [...findings, ...(await checkOperation(deps))];
}

export function checkServer({ version, roundTripMs }: Pick<DatabaseFacts, "version" | "roundTripMs">): Finding {
  const text = `PostgreSQL ${version}, ${roundTripMs.toFixed(1)} ms away`;
  if (Number.parseInt(version, 10) < VERSION_MIN)
    return problem("database", text, `Kimitsu needs PostgreSQL ${VERSION_MIN} or newer.`);
  return roundTripMs > SLOW_MS
    ? warning("database", text, "Every step of a run is a few statements; put the processes nearer to the database.")
    : ok("database", text);
}

export function checkUser({ user, isSuperuser }: Pick<DatabaseFacts, "user" | "isSuperuser">): Finding {
  if (!isSuperuser) return ok("database user", `${user}, who is no superuser`);
  return warning(
    "database user",
    `${user} is a superuser, whom nothing keeps from changing the trail`,
    "Make a role without SUPERUSER that owns the database and its tables, and put it into DATABASE_URL.",
  );
}

export function checkDurability(facts: Durability): Finding[] {
  const warnings = listDurabilityWarnings(facts);
  if (warnings.length > 0) return warnings.map(({ text, hint }) => warning("durability", text, hint));
  return [
    ok("durability", facts.standbys === 0 ? "commits wait for the disk" : "commits wait for the disk and a standby"),
  ];
}

export function checkClock({ aheadMs, roundTripMs }: Pick<DatabaseFacts, "aheadMs" | "roundTripMs">): Finding {
  const apartMs = Math.max(Math.abs(aheadMs) - roundTripMs, 0);
  const text = `${Math.round(apartMs)} ms apart from the database's`;
  const hint = "Switch on time synchronisation (NTP) on both machines: leases and expiries are judged by the clock.";
  return apartMs >= CLOCK_PROBLEM_MS
    ? problem("clock", text, hint)
    : apartMs >= CLOCK_WARNING_MS
      ? warning("clock", text, hint)
      : ok("clock", text);
}

export function checkMigrations({ migrations }: Pick<DatabaseFacts, "migrations">, folder: string): Finding {
  const files = existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
    : [];
  const applied = new Set(migrations?.filter(({ finished }) => finished).map(({ name }) => name));
  const broken = migrations?.filter(({ finished }) => !finished).map(({ name }) => name) ?? [];
  const missing = files.filter((name) => !applied.has(name));
  const foreign = [...applied].filter((name) => !files.includes(name));
  if (broken.length > 0)
    return problem(
      "migrations",
      `begun and not finished: ${broken.join(", ")}`,
      "Read the reason in the table _prisma_migrations, put it right, and run: npm run db:migrate",
    );
  if (missing.length > 0) return problem("migrations", `not applied: ${missing.join(", ")}`, "Run: npm run db:migrate");
  if (foreign.length > 0)
    return problem(
      "migrations",
      `applied, but not part of this release: ${foreign.join(", ")}`,
      "The database was used by a newer release; start that one.",
    );
  return ok("migrations", `all ${files.length} applied`);
}

async function checkOperation({ db, now }: EngineDeps): Promise<Finding[]> {
  const { worker } = await getReadiness(db, now());
  return [
    (await hasAdmin(db))
      ? ok("people", "there is an admin")
      : problem(
          "people",
          "there is no admin yet",
          "`npm start` makes the first admin, or: kimitsu user create --email … --role admin",
        ),
    worker === "ok"
      ? ok("worker", "alive")
      : warning("worker", "none is alive, so runs wait", "Start one: npm start, or kimitsu worker"),
    ...((await isDispatchPaused(db))
      ? [
          warning(
            "pause",
            "an admin holds all calls back",
            'Let them go in the console, or with POST /settings/pause {"paused": false}',
          ),
        ]
      : []),
  ];
}
