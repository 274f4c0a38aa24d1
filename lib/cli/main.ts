import { Command } from "commander";
import { registerAudit } from "@/lib/cli/audit";
import { registerBootstrap } from "@/lib/cli/bootstrap";
import { registerToken } from "@/lib/cli/token";
import { registerUser } from "@/lib/cli/user";
import { closeDatabase } from "@/lib/cli/database";
import { KimitsuError } from "@/lib/errors";

const program = new Command("kimitsu")
  .description("Agents written in YAML use tools over MCP, and a person stands in front of every call that deserves one.")
  .showHelpAfterError("(kimitsu --help lists the commands)")
  .configureHelp({ showGlobalOptions: false });

registerUser(program);
registerToken(program);
registerAudit(program);
registerBootstrap(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof KimitsuError)) throw error;
  console.error(`kimitsu: ${error.message}`);
  process.exitCode = 1;
} finally {
  await closeDatabase();
}
