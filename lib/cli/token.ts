import type { Command } from "commander";
import { getProject } from "@/lib/config/load-project";
import { readDuration } from "@/lib/config/duration";
import { openDatabase } from "@/lib/cli/database";
import { loadOptions, projectRoot } from "@/lib/cli/project-options";
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
  profile?: string;
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
    .option("--profile <name>", "for the scope mcp, and needed there: what the client may do")
    .option("--user <e-mail>", "whom it acts as; default: the first admin")
    .option("--expires <duration>", "such as 12h or 30d; default: never")
    .option("--json", 'print {"token": …}')
    .action(async (options: Options) => {
      const deps = await openDatabase();
      const person = await findPerson(deps, options.user);
      const expiresAt = options.expires === undefined ? null : expiry(options.expires, deps.now());
      const scopes = options.scopes.split(",").map((scope) => scope.trim()) as Scope[];
      // Only this scope depends on the project, and a token for anything else must not wait until its files are right.
      const project = scopes.includes("mcp") ? getProject(projectRoot(), loadOptions()) : null;
      const profile = options.profile ?? null;
      const { id, token } = await createToken({ ...deps, project }, OPERATOR_ACTOR, {
        name: options.name,
        userId: person.id,
        scopes,
        profile,
        expiresAt,
      });
      if (options.json) showOnce(jsonLine({ token, id, user: person.email, scopes, profile, expires_at: expiresAt }));
      else
        showOnce(
          `${token}\n\nActs as ${person.email}${profile === null ? "" : `, within the profile ${profile}`}; it is not shown again.`,
        );
    });
}

function expiry(text: string, now: Date): Date {
  const duration = readDuration(text);
  if (!duration.ok) throw new KimitsuError("invalid_request", `--expires ${text}: ${duration.message}`);
  return new Date(now.getTime() + duration.ms);
}
