import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { jsonLine } from "@/lib/cli/json-text";
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import type { Role } from "@/lib/people/rules/roles";
import { ROLES } from "@/lib/people/rules/roles";
import { createUser } from "@/lib/people/create-user";

interface Options {
  email: string;
  role: string;
  name?: string;
  password?: string;
  json?: boolean;
}

export function registerUser(program: Command): void {
  program
    .command("user")
    .description("people who may sign in")
    .command("create")
    .description("add a person; a password that is left out is generated and printed once")
    .requiredOption("--email <e-mail>")
    .requiredOption("--role <role>", ROLES.join(", "))
    .option("--name <name>", "default: the part of the e-mail before the @")
    .option("--password <password>")
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      const deps = await openDatabase();
      const created = await createUser(deps, OPERATOR_ACTOR, {
        email: options.email,
        name: options.name ?? options.email.split("@")[0] ?? "",
        role: options.role as Role,
        password: options.password,
      });
      if (options.json) console.log(jsonLine(created));
      else
        console.log(
          `${created.email} was added as ${options.role}.${created.password ? `\nPassword, shown once: ${created.password}` : ""}`,
        );
    });
}
