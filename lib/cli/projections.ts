/** `kimitsu projections rebuild`: fills the projections again. */
import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { rebuildProjections } from "@/lib/runs/projections/rebuild-projections";

export function registerProjections(program: Command): void {
  program
    .command("projections")
    .description("the tables that are filled from the journal, for questions across runs")
    .command("rebuild")
    .description(
      "empty them and fill them anew; nothing has to be stopped, and what is broken off the workers go on with",
    )
    .action(async () => {
      const { db } = await openDatabase();
      const { runs } = await rebuildProjections(db, (progress) =>
        console.error(`${progress.done} of ${progress.runs} runs`),
      );
      console.log(`The projections are filled anew (runs: ${runs}).`);
    });
}
