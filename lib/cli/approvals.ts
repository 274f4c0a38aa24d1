/** `kimitsu approvals`: what waits for people. */
import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { formatTable } from "@/lib/cli/format-table";
import { jsonLine } from "@/lib/cli/json-text";
import { readLimit } from "@/lib/cli/runs";
import { APPROVAL_TRANSITIONS, type ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import { toApprovals } from "@/lib/approvals/approval-envelope";
import { KimitsuError } from "@/lib/errors";
import type { ApprovalView } from "@/lib/approvals/queries/get-approval";
import { listApprovals } from "@/lib/approvals/queries/list-approvals";

export function registerApprovals(program: Command): void {
  program
    .command("approvals")
    .description("list approvals, newest first; those that wait unless another status is named")
    .option("--status <status>", `${Object.keys(APPROVAL_TRANSITIONS).join(", ")}, or all`, "pending")
    .option("--run <run>", "only those of this run")
    .option("--limit <n>", "how many", "50")
    .option("--json", "print JSON lines, as the API gives them")
    .action(async (options: { status: string; run?: string; limit: string; json?: boolean }) => {
      const isAll = options.status === "all";
      if (!isAll && !Object.hasOwn(APPROVAL_TRANSITIONS, options.status))
        throw new KimitsuError(
          "invalid_request",
          `--status ${options.status} is no status of an approval; they are ${Object.keys(APPROVAL_TRANSITIONS).join(", ")} and all`,
        );
      const { db, now } = await openDatabase();
      const { items } = await listApprovals(db, {
        status: isAll ? undefined : [options.status as ApprovalStatus],
        runId: options.run,
        limit: readLimit(options.limit),
      });
      if (options.json)
        return (await toApprovals({ db, now }, items)).forEach((approval) => console.log(jsonLine(approval)));
      console.log(
        items.length === 0
          ? options.status === "pending"
            ? "Nothing waits for a decision."
            : "No approvals."
          : formatTable(["APPROVAL", "DANGER", "STATUS", "EXPIRES (UTC)", "RUN", "WHAT"], items.map(toRow)),
      );
    });
}

function toRow({ id, danger, status, expiresAt, runId, summary, decisions }: ApprovalView): string[] {
  const by = decisions.at(-1);
  return [
    id,
    danger,
    `${status}${by && status !== "pending" ? ` by ${by.user.name}` : ""}`,
    expiresAt?.toISOString().slice(0, 19).replace("T", " ") ?? "never",
    runId,
    summary,
  ];
}
