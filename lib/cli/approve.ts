/** `kimitsu approve ID` and what it shares with `kimitsu reject ID`. */
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { jsonLine } from "@/lib/cli/json-text";
import { deciderOf, findPerson } from "@/lib/cli/person";
import { plainLine } from "@/lib/cli/plain-line";
import { nobodyCan, suggestDecider } from "@/lib/cli/suggest-decider";
import { readInput } from "@/lib/cli/read-input";
import { withRuntime } from "@/lib/cli/runtime";
import { toDecided } from "@/lib/approvals/approval-envelope";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { findDecidable } from "@/lib/approvals/find-decidable";
import type { Runtime } from "@/lib/runs/runtime";
import { KimitsuError } from "@/lib/errors";
import { getApproval } from "@/lib/approvals/queries/get-approval";
import { getRunOfCall } from "@/lib/runs/queries/find-run-of-call";

export interface DecideOptions {
  user?: string;
  comment?: string;
  reason?: string;
  digest?: string;
  arguments?: string;
  confirm?: string;
  json?: boolean;
}

export function registerApprove(program: Command): void {
  program
    .command("approve")
    .description("approve a call that waits for people")
    .argument("<id>", "of the approval (apr_…), the call (call_…), or the run (run_…) when one call of it waits")
    .option("--digest <sha256:…>", "approve only if the arguments are still these")
    .option("--arguments <json|@file>", "other arguments, judged by schema and policy again")
    .option("--confirm <word>", "the value that a critical call is approved with; asked for at a terminal")
    .option("--comment <text>", "for the record")
    .option("--user <e-mail>", "who decides; default: the first admin")
    .option("--json", "print JSON, as the API gives it")
    .action((id: string, options: DecideOptions) => decide(id, "approved", options));
}

export function decide(
  id: string,
  verdict: "approved" | "rejected",
  { user, json, arguments: edited, ...command }: DecideOptions,
): Promise<void> {
  return withRuntime(async (deps) => {
    const person = await findPerson(deps, user);
    const approvalId = await findApprovalId(deps, id);
    const changed = edited === undefined ? {} : { arguments: readInput(edited, "--arguments") };
    const send = (confirm: { confirm?: string }) =>
      decideApproval(deps, deciderOf(person), { approvalId, verdict, ...command, ...changed, ...confirm });
    const approval = await send({})
      .catch(async (error: unknown) => send({ confirm: await askToConfirm(error, command.confirm) }))
      .catch((error: unknown) => {
        if (user !== undefined) throw error;
        return explain(deps, approvalId, error);
      });
    if (json) return console.log(jsonLine(toDecided(approval)));
    const more =
      approval.status === "pending" ? `; ${approval.approvals} of ${approval.minApprovals} have approved it` : "";
    console.log(`${plainLine(approval.summary)}\n${approval.id} ${verdict} by ${person.name}${more}`);
  });
}

/**
 * Asks a person at the terminal to confirm; without a terminal, or for any other refusal, throws the refusal itself.
 */
async function askToConfirm(error: unknown, given: string | undefined): Promise<string> {
  const isAsked = error instanceof KimitsuError && error.issues.some(({ path }) => path === "confirm");
  if (!isAsked || given !== undefined) throw error;
  if (!process.stdin.isTTY)
    throw new KimitsuError("invalid_request", `${error.message} State it with --confirm.`, {
      issues: error.issues,
      cause: error,
    });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(`${plainLine(error.message)}\n> `);
  } finally {
    terminal.close();
  }
}

/** The default person, the first admin, is often the one who started the run: then the refusal says whom to name. */
async function explain(deps: Runtime, approvalId: string, error: unknown): Promise<never> {
  if (!(error instanceof KimitsuError) || error.code !== "forbidden") throw error;
  const approval = await getApproval(deps.db, approvalId);
  const as = await suggestDecider(deps.db, approval);
  throw new KimitsuError(
    "forbidden",
    `${error.message} ${as === null ? `At the moment ${nobodyCan(approval)}.` : `Say who decides:${as}`}`,
    { cause: error },
  );
}

async function findApprovalId(deps: Runtime, id: string): Promise<string> {
  if (id.startsWith("apr_")) return id;
  if (id.startsWith("run_")) return (await findDecidable(deps.db, { runId: id })).id;
  if (id.startsWith("call_"))
    return (await findDecidable(deps.db, { runId: await getRunOfCall(deps.db, id), callId: id })).id;
  throw new KimitsuError(
    "invalid_request",
    `${id} is no id of an approval (apr_…), a call (call_…) or a run (run_…); \`kimitsu approvals\` lists what waits`,
  );
}
