/**
 * The commands that only read the project's files. They have a separate entry point, so that they start without loading
 * database and tool clients.
 */
import { Command } from "commander";
import { registerExplain } from "@/lib/cli/explain";
import { pointToHelp } from "@/lib/cli/point-to-help";
import { registerSchema } from "@/lib/cli/schema";
import { registerTree } from "@/lib/cli/tree";
import { registerValidate } from "@/lib/cli/validate";
import { KimitsuError } from "@/lib/errors";

const program = new Command("kimitsu");
for (const register of [registerValidate, registerTree, registerExplain, registerSchema]) register(program);
pointToHelp(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof KimitsuError)) throw error;
  console.error(`kimitsu: ${error.message}`);
  process.exitCode = 1;
}
