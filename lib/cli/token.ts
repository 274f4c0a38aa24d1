import type { Command } from "commander";
import { readDuration } from "@/lib/config/duration";
import { openDatabase } from "@/lib/cli/database";
import { jsonLine } from "@/lib/cli/json-text";
import { findPerson } from "@/lib/cli/person";
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { type Scope, SCOPES } from "@/lib/people/rules/roles";
import { showOnce } from "@/lib/projects/clean-output";
import { createToken } from "@/lib/people/create-token";
import { KimitsuError } from "@/lib/errors";

interface Options {
  name: string;
  scopes: string;
  user?: string;
  expires?: string;
  json?: boolean;
}

export function registerToken(program: Command): void {
  program
    .command("token")
    .description("API tokens")
    .command("create")
    .description("make a token that acts as a person; it is printed once")
    .requiredOption("--name <name>", "what it is for")
    .requiredOption("--scopes <list>", `comma separated: ${SCOPES.join(", ")}`)
    .option("--user <e-mail>", "whom it acts as; default: the first admin")
    .option("--expires <duration>", "such as 12h or 30d; default: never")
    .option("--json", 'print {"token": …}')
    .action(async (options: Options) => {
      const deps = await openDatabase();
      const person = await findPerson(deps, options.user);
      const expiresAt = options.expires === undefined ? null : expiry(options.expires, deps.now());
      const scopes = options.scopes.split(",").map((scope) => scope.trim()) as Scope[];
      const { id, token } = await createToken(deps, OPERATOR_ACTOR, {
        name: options.name,
        userId: person.id,
        scopes,
        expiresAt,
      });
      if (options.json) showOnce(jsonLine({ token, id, user: person.email, scopes, expires_at: expiresAt }));
      else showOnce(`${token}\n\nActs as ${person.email}; it is not shown again.`);
    });
}

function expiry(text: string, now: Date): Date {
  const duration = readDuration(text);
  if (!duration.ok) throw new KimitsuError("invalid_request", `--expires ${text}: ${duration.message}`);
  return new Date(now.getTime() + duration.ms);
}
