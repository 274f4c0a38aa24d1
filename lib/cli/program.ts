import { Command } from "commander";
import { registerApprovals } from "@/lib/cli/approvals";
import { registerApprove } from "@/lib/cli/approve";
import { registerAudit } from "@/lib/cli/audit";
import { registerBootstrap } from "@/lib/cli/bootstrap";
import { registerConnect } from "@/lib/cli/connect";
import { registerDoctor } from "@/lib/cli/doctor";
import { registerExplain } from "@/lib/cli/explain";
import { findKnownTool } from "@/lib/cli/find-known-tool";
import { registerInvoke } from "@/lib/cli/invoke";
import { registerLock } from "@/lib/cli/lock";
import { pointToHelp } from "@/lib/cli/point-to-help";
import { registerProjections } from "@/lib/cli/projections";
import { registerReject } from "@/lib/cli/reject";
import { registerReplay } from "@/lib/cli/replay";
import { registerRuns } from "@/lib/cli/runs";
import { registerSchema } from "@/lib/cli/schema";
import { registerToken } from "@/lib/cli/token";
import { registerTree } from "@/lib/cli/tree";
import { registerUser } from "@/lib/cli/user";
import { registerValidate } from "@/lib/cli/validate";
import { registerWorker } from "@/lib/cli/worker";

export function createProgram(): Command {
  const program = new Command("kimitsu")
    .description(
      "Agents written in YAML use tools over MCP, and a person stands in front of every call that deserves one.",
    )
    .configureHelp({ showGlobalOptions: false });
  // `start` and `database-url` are answered by scripts/kimitsu.mjs before this is loaded; they are listed here for the
  // help.
  program
    .command("start")
    .description("start everything: database, web, worker")
    .option("--env <name>", "use the values of environments/<name>.env.yaml");
  program.command("database-url").description("print the address of the running database, for backups and other tools");
  for (const register of REGISTER) register(program);
  pointToHelp(program);
  return program;
}

/** In the order of the help. */
const REGISTER = [
  registerWorker,
  registerValidate,
  registerInvoke,
  registerRuns,
  registerApprovals,
  registerApprove,
  registerReject,
  registerTree,
  (program: Command) => registerExplain(program, findKnownTool),
  registerReplay,
  registerLock,
  registerSchema,
  registerUser,
  registerToken,
  registerConnect,
  registerAudit,
  registerProjections,
  registerDoctor,
  registerBootstrap,
];
