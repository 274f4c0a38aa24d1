import { closeDatabase } from "@/lib/cli/database";
import { createProgram } from "@/lib/cli/program";
import { cleanOutput } from "@/lib/engine/clean-output";
import { KimitsuError } from "@/lib/errors";

cleanOutput();
try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof KimitsuError)) throw error;
  console.error(`kimitsu: ${error.message}`);
  process.exitCode = 1;
} finally {
  await closeDatabase();
}
