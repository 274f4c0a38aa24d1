/** The options of `kimitsu start` beside the environment. */
import { parseArgs } from "node:util";
import { PlainError } from "./plain-error.mjs";

const HELP = `Usage: kimitsu start [options]

Starts everything: database, web, worker. The same as npm start.

Options:
  --env <name>  use the values of environments/<name>.env.yaml, as KIMITSU_ENV does
  -h, --help    show this text

Ports, folders and secrets are set in the environment: docs/reference/environment.md`;

/** Returns the text to print for --help; otherwise sets what was given, and returns null. */
export function applyStartOptions(words, variables = process.env) {
  const { help, env } = read(words);
  if (help) return HELP;
  if (env !== undefined) variables.KIMITSU_ENV = env;
  return null;
}

function read(words) {
  try {
    return parseArgs({ args: words, options: { env: { type: "string" }, help: { type: "boolean", short: "h" } } })
      .values;
  } catch (error) {
    throw new PlainError(`kimitsu start: ${error.message.split(". ")[0]}. It takes --env NAME and --help.`, {
      exitCode: 2,
    });
  }
}
