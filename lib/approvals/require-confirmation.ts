/**
 * A critical call is approved only together with one of its values, typed or stated, whoever approves it and from
 * wherever.
 */
import type { Runtime } from "@/lib/runs/runtime";
import { KimitsuError } from "@/lib/errors";
import { chooseConfirmWord } from "@/lib/approvals/view/confirm-word";
import { findDefinitionOf } from "@/lib/tools/queries/find-definition";
import type { ApprovalView } from "@/lib/approvals/queries/get-approval";
import { showArguments } from "@/lib/approvals/view/show-arguments";

type Deps = Pick<Runtime, "db">;
type Confirmed = Pick<ApprovalView, "id" | "danger" | "tool" | "definitionFingerprint" | "arguments">;

/** Throws `invalid_request` that names the expected value. `arguments` are those that would be sent, redacted. */
export async function requireConfirmation(deps: Deps, approval: Confirmed, confirm: string | undefined): Promise<void> {
  if (approval.danger !== "critical") return;
  const word = await findConfirmWord(deps, approval);
  if (confirm === word) return;
  const what = confirm === undefined ? "is missing" : "is another word";
  const issues = [{ path: "confirm", message: `${what}; write ${JSON.stringify(word)}` }];
  const message = `This call is critical: type ${word} to approve it (\`confirm\` ${what}). Nothing was decided.`;
  throw new KimitsuError("invalid_request", message, { issues });
}

async function findConfirmWord({ db }: Deps, approval: Confirmed): Promise<string> {
  const { tool, definitionFingerprint, arguments: args } = approval;
  const definition = definitionFingerprint ? await findDefinitionOf(db, tool, definitionFingerprint) : null;
  const required = definition?.inputSchema.required;
  return chooseConfirmWord(tool, showArguments(args, Array.isArray(required) ? required.map(String) : []));
}
