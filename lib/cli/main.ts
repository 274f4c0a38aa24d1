import { closeDatabase, explainDatabase } from "@/lib/cli/database";
import { createProgram } from "@/lib/cli/program";
import { cleanOutput } from "@/lib/projects/clean-output";
import { KimitsuError } from "@/lib/errors";

cleanOutput();
try {
  await createProgram().parseAsync();
} catch (error) {
  const message = error instanceof KimitsuError ? error.message : explainDatabase(error);
  if (message === null) throw error;
  console.error(`kimitsu: ${message}`);
  process.exitCode = 1;
} finally {
  await closeDatabase();
}
