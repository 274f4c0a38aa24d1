import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { jsonBlock } from "@/lib/cli/json-text";
import { type AuditReport, verifyAudit } from "@/lib/audit/verify-audit";

export function registerAudit(program: Command): void {
  program
    .command("audit")
    .description("the audit trail")
    .command("verify")
    .description(
      "read the whole trail and name the first row that was changed, removed or inserted by hand, or of which it does not tell",
    )
    .option("--json", "print the whole report")
    .action(async (options: { json?: boolean }) => {
      const report = await verifyAudit(await openDatabase());
      console.log(options.json ? jsonBlock(toJson(report)) : describe(report));
      if (!report.ok) process.exitCode = 1;
    });
}

/** Fields are named as in the API, at any depth. */
function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      toJson(inner),
    ]),
  );
}

function describe(report: AuditReport): string {
  const read = `${report.events} events in ${report.chains} chains, ${report.anchors} anchors`;
  const first = report.findings[0];
  if (!first) return `The trail is whole: ${read}${report.lastAnchorAt ? `, the last at ${report.lastAnchorAt}` : ""}.`;
  const more = report.findingsTotal - 1;
  return [
    "The trail is NOT whole. First bad row:",
    `  ${first.row}, ${first.at}`,
    `  ${first.problem}`,
    more > 0 ? `${more} more ${more === 1 ? "row does" : "rows do"} not verify; --json lists them.` : "",
    `Read: ${read}.`,
  ]
    .filter(Boolean)
    .join("\n");
}
