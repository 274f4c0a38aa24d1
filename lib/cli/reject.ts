/** `kimitsu reject ID --reason …`. */
import type { Command } from "commander";
import { decide, type DecideOptions } from "@/lib/cli/approve";
import { KimitsuError } from "@/lib/errors";

export function registerReject(program: Command): void {
  program
    .command("reject")
    .description("reject a call that waits for people; it is never sent")
    .argument("<id>", "of the approval (apr_…), the call (call_…), or the run (run_…) when one call of it waits")
    .requiredOption("--reason <text>", "told to the agent")
    .option("--digest <sha256:…>", "reject only if the arguments are still these")
    .option("--comment <text>", "for the record")
    .option("--user <e-mail>", "who decides; default: the first admin")
    .option("--json", "print JSON, as the API gives it")
    .action((id: string, options: DecideOptions) => {
      if (options.reason?.trim() === "")
        throw new KimitsuError("invalid_request", "--reason is empty; say why, because the agent is told");
      return decide(id, "rejected", options);
    });
}
