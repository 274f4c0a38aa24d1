import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { createFirstAdmin } from "@/lib/people/create-first-admin";
import { env } from "@/lib/env";

/** For the start script: what a new database needs before anyone can sign in. */
export function registerBootstrap(program: Command): void {
  program
    .command("bootstrap", { hidden: true })
    .option("--json")
    .action(async () => {
      const deps = await openDatabase();
      const admin = await createFirstAdmin(deps, {
        email: env.KIMITSU_ADMIN_EMAIL,
        password: env.KIMITSU_ADMIN_PASSWORD,
      });
      const answer = admin.created
        ? { created: true, email: admin.email, password: admin.generated ? admin.password : undefined }
        : admin;
      console.log(JSON.stringify(answer));
    });
}
