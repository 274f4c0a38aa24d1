import type { z } from "zod";
import type { runSummarySchema } from "@/lib/http/schemas/run-envelope";

type RunSummary = z.input<typeof runSummarySchema>;

const COLUMNS: Record<string, (run: RunSummary) => string | number | null> = {
  run_id: (run) => run.run_id,
  workflow: (run) => run.workflow,
  version: (run) => run.version,
  status: (run) => run.status,
  started_by: (run) => run.started_by.name,
  started_by_kind: (run) => run.started_by.kind,
  started_by_id: (run) => run.started_by.id,
  started_by_person: (run) => run.started_by.person,
  created_at: (run) => run.created_at,
  completed_at: (run) => run.completed_at,
  duration_ms: (run) => run.totals.duration_ms,
  cost_usd: (run) => run.totals.cost_usd,
  tokens_in: (run) => run.totals.tokens_in,
  tokens_out: (run) => run.totals.tokens_out,
  llm_calls: (run) => run.totals.llm_calls,
  tool_calls: (run) => run.totals.tool_calls,
  pending_approvals: (run) => run.pending_approvals,
  agents: (run) => run.agents.join(" "),
  parent_run_id: (run) => run.parent_run_id,
  retry_of_run_id: (run) => run.retry_of_run_id,
  error_code: (run) => run.error?.code ?? null,
  error: (run) => run.error?.message ?? null,
};

export const CSV_HEAD = `${Object.keys(COLUMNS).join(",")}\r\n`;

export function toCsvLine(run: RunSummary): string {
  return `${Object.values(COLUMNS)
    .map((read) => toCell(read(run)))
    .join(",")}\r\n`;
}

/**
 * By RFC 4180. A text that begins like a formula gets an apostrophe, because names and errors are untrusted and
 * spreadsheets evaluate formulas.
 */
function toCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
