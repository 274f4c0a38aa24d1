/** `kimitsu approve ID` and what it shares with `kimitsu reject ID`. */
import type { Command } from "commander";
import { jsonLine } from "@/lib/cli/json-text";
import { deciderOf, findPerson } from "@/lib/cli/person";
import { plainLine } from "@/lib/cli/plain-line";
import { nobodyCan, suggestDecider } from "@/lib/cli/suggest-decider";
import { readInput } from "@/lib/cli/read-input";
import { withRuntime } from "@/lib/cli/runtime";
import { toDecided } from "@/lib/engine/approval-envelope";
import { decideApproval } from "@/lib/engine/decide-approval";
import { findDecidable } from "@/lib/engine/find-decidable";
import type { Runtime } from "@/lib/engine/runtime";
import { KimitsuError } from "@/lib/errors";
import { getApproval } from "@/lib/store/queries/get-approval";
import { getCallHead } from "@/lib/store/queries/get-call-head";

export interface DecideOptions {
  user?: string;
  comment?: string;
  reason?: string;
  digest?: string;
  arguments?: string;
  json?: boolean;
}

export function registerApprove(program: Command): void {
  program
    .command("approve")
    .description("approve a call that waits for people")
    .argument("<id>", "of the approval (apr_…), the call (call_…), or the run (run_…) when one call of it waits")
    .option("--digest <sha256:…>", "approve only if the arguments are still these")
    .option("--arguments <json|@file>", "other arguments, judged by schema and policy again")
    .option("--comment <text>", "for the record")
    .option("--user <e-mail>", "who decides; default: the first admin")
    .option("--json", "print JSON, as the API gives it")
    .action((id: string, options: DecideOptions) => decide(id, "approved", options));
}

export function decide(id: string, verdict: "approved" | "rejected", { user, json, arguments: edited, ...wish }: DecideOptions): Promise<void> {
  return withRuntime(async (deps) => {
    const person = await findPerson(deps, user);
    const approvalId = await findApprovalId(deps, id);
    const changed = edited === undefined ? {} : { arguments: readInput(edited, "--arguments") };
    const approval = await decideApproval(deps, deciderOf(person), { approvalId, verdict, ...wish, ...changed }).catch((error: unknown) => explain(deps, approvalId, user, error));
    if (json) return console.log(jsonLine(toDecided(approval)));
    const more = approval.status === "pending" ? `; ${approval.approvals} of ${approval.minApprovals} have approved it` : "";
    console.log(`${plainLine(approval.summary)}\n${approval.id} ${verdict} by ${person.name}${more}`);
  });
}

/** The first admin, whom nobody chose, is often the one who started the run: then the refusal says whom to name. */
async function explain(deps: Runtime, approvalId: string, user: string | undefined, error: unknown): Promise<never> {
  if (!(error instanceof KimitsuError) || error.code !== "forbidden" || user !== undefined) throw error;
  const approval = await getApproval(deps.db, approvalId);
  const as = await suggestDecider(deps.db, approval);
  throw new KimitsuError("forbidden", `${error.message} ${as === null ? `At the moment ${nobodyCan(approval)}.` : `Say who decides:${as}`}`, { cause: error });
}

async function findApprovalId(deps: Runtime, id: string): Promise<string> {
  if (id.startsWith("apr_")) return id;
  if (id.startsWith("run_")) return (await findDecidable(deps.db, { runId: id })).id;
  if (id.startsWith("call_")) return (await findDecidable(deps.db, { runId: (await getCallHead(deps.db, id)).runId, callId: id })).id;
  throw new KimitsuError("invalid_request", `${id} is no id of an approval (apr_…), a call (call_…) or a run (run_…); \`kimitsu approvals\` lists what waits`);
}
