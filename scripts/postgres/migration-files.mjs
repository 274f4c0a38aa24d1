/** The migrations as they are on disk. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { PlainError } from "../plain-error.mjs";
import { ROOT } from "../runtime.mjs";

export const SCHEMA_FILE = path.join(ROOT, "prisma/schema.prisma");
export const MIGRATIONS_FOLDER = path.join(ROOT, "prisma/migrations");

/**
 * In the order in which they apply: `{ name, file, sql, checksum }`. The checksum is the one Prisma stores: of the
 * file's bytes.
 */
export function listMigrations(folder = MIGRATIONS_FOLDER) {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  return names.sort().map((name) => {
    const file = path.join(folder, name, "migration.sql");
    if (!existsSync(file))
      throw new PlainError(
        `The migration ${name} has no SQL: ${path.relative(ROOT, file)} does not exist. Restore the file or remove its folder.`,
      );
    const bytes = readFileSync(file);
    return {
      name,
      file: path.relative(ROOT, file),
      sql: bytes.toString("utf8"),
      checksum: createHash("sha256").update(bytes).digest("hex"),
    };
  });
}

/**
 * Compares the files with what the database says was applied, and returns those still to apply. A file that was changed
 * or removed after it was applied is refused: the database no longer is what the files describe.
 */
export function pendingMigrations(migrations, applied) {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  const problems = [];
  for (const row of applied) {
    const migration = byName.get(row.migration_name);
    if (!row.finished_at)
      problems.push(
        `${row.migration_name} was begun and did not finish:\n    ${(row.logs ?? "no reason was recorded").trim().split("\n")[0]}`,
      );
    else if (!migration)
      problems.push(
        `${row.migration_name} was applied, but prisma/migrations/${row.migration_name}/migration.sql is missing`,
      );
    else if (migration.checksum !== row.checksum) problems.push(`${migration.file} was changed after it was applied`);
  }
  if (problems.length > 0)
    throw new PlainError(
      `The database and the migrations disagree; nothing was changed:\n${problems.map((problem) => `  ${problem}`).join("\n")}\n` +
        "Restore the files as they were (a change of the schema is always a new migration), or start the release of Kimitsu that the database was last used with.",
    );
  const done = new Set(applied.map((row) => row.migration_name));
  return migrations.filter((migration) => !done.has(migration.name));
}

/**
 * The stamp says in which order migrations apply. Two equal ones leave the order to their names, and one from the
 * future would apply after all that are written until then; both are refused before they are released.
 */
export function refuseWrongStamps(names, now) {
  const stamps = names.map((name) => name.split("_")[0]);
  const today = now.toISOString().replace(/\D/g, "").slice(0, 14);
  const problems = names.flatMap((name, index) => {
    if (!/^\d{14}$/.test(stamps[index])) return [`${name} does not begin with a stamp such as ${today}`];
    if (stamps.indexOf(stamps[index]) < index)
      return [`${name} has the stamp of ${names[stamps.indexOf(stamps[index])]}`];
    return stamps[index] > today ? [`${name} has a stamp that lies in the future`] : [];
  });
  if (problems.length > 0)
    throw new PlainError(
      `Migrations are named by the time at which they were written:\n${problems.map((problem) => `  ${problem}`).join("\n")}\n` +
        "Rename the folder, as long as nobody has applied it.",
    );
}
