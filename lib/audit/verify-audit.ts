/**
 * Reads the whole audit trail and names what was changed, removed or inserted by hand, the earliest first, and every
 * row of a run that differs from the trail. Only reads, except that it records when it was done. Safe to run beside a
 * working system: what is appended meanwhile is simply not read.
 */
import { archiveFolder, findChangedArchives } from "@/lib/audit/retention/archive-file";
import {
  findMissingHeads,
  readRetained,
  readSystemEnd,
  streamAnchorRows,
  streamSystemChain,
} from "@/lib/audit/queries/journal-rows";
import { streamRunRecords } from "@/lib/audit/queries/stream-run-records";
import { headsOf } from "@/lib/audit/rules/audit-anchor";
import { anchorProblem, entryProblem } from "@/lib/audit/rules/audit-check";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { checkRun } from "@/lib/audit/rules/check-run";
import { compareEvents } from "@/lib/audit/rules/compare-run";
import type { Retained } from "@/lib/audit/rules/retained";
import { auditKeys } from "@/lib/database/audit-keys";
import type { EngineDeps } from "@/lib/database/deps";
import { writeSetting } from "@/lib/database/write-setting";
import { type Entry, eventsOfBody, type Head, NO_HEAD } from "@/lib/runs/journal/entry";

/** More are counted but not kept: people read the first findings, not the thousandth. */
const FINDINGS_KEPT = 100;

export interface AuditFinding {
  /** `run_… row 4`, `system row 12`, `anchor 7`, `run_… dec_…`. */
  row: string;
  problem: string;
  at: string;
}

export interface AuditReport {
  ok: boolean;
  verifiedAt: string;
  chains: number;
  events: number;
  anchors: number;
  lastAnchorAt: string | null;
  findings: AuditFinding[];
  findingsTotal: number;
}

/** `archive` is the folder with the files of detached months; files that are not there are not checked. */
export async function verifyAudit(deps: EngineDeps, { archive = archiveFolder() } = {}): Promise<AuditReport> {
  const report: AuditReport = {
    ok: true,
    verifiedAt: deps.now().toISOString(),
    chains: 0,
    events: 0,
    anchors: 0,
    lastAnchorAt: null,
    findings: [],
    findingsTotal: 0,
  };
  const retained = await readRetained(deps.db);
  await checkSystem(deps, retained, report);
  await checkRuns(deps, retained, report);
  await checkAnchors(deps, retained, report);
  for (const { file, problem, at } of await findChangedArchives(retained, archive)) {
    note(report, { row: `archive ${file}`, problem, at });
  }
  report.findings.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).splice(FINDINGS_KEPT);
  report.ok = report.findingsTotal === 0;
  const value = { ...report, findings: report.findings.slice(0, 1) };
  await writeSetting(deps.db, { key: "audit.verification", value }, deps.now());
  return report;
}

async function checkRuns({ db }: EngineDeps, retained: Retained, report: AuditReport): Promise<void> {
  const keys = auditKeys();
  for await (const record of streamRunRecords(db)) {
    if (record.entries.length > 0) report.chains++;
    report.events += countEvents(record.entries);
    for (const { row, problem, at } of checkRun(record, keys, retained))
      note(report, { row: `${record.id} ${row}`, problem, at });
  }
}

/** The chain of events that belong to no run. */
async function checkSystem({ db }: EngineDeps, retained: Retained, report: AuditReport): Promise<void> {
  const { head: end, beyond } = await readSystemEnd(db);
  let head: Head = retained.heads.get(SYSTEM_CHAIN) ?? NO_HEAD;
  if (end.seq > 0) report.chains++;
  for await (const { entries, events, projected } of streamSystemChain(db, end.seq)) {
    report.events += countEvents(entries);
    const changed = new Set<number>();
    for (const entry of entries) {
      const problem = entryProblem(entry, head, auditKeys());
      if (problem) note(report, { row: `${SYSTEM_CHAIN} row ${entry.seq}`, problem, at: entry.at });
      if (problem) changed.add(entry.seq);
      head = { seq: entry.seq, hash: entry.hash };
    }
    const at = entries[0]?.at ?? report.verifiedAt;
    const sealed = entries.filter(({ seq }) => seq <= projected && !changed.has(seq));
    const listed = events.filter(({ seq }) => !changed.has(seq));
    for (const { row, problem } of compareEvents(sealed, listed))
      note(report, { row: `${SYSTEM_CHAIN} ${row}`, problem, at });
  }
  const isEnd = head.seq === end.seq && head.hash.equals(end.hash);
  const problem = `the chain ends at row ${head.seq}, and its own row says ${end.seq}: rows were removed, or its row was changed`;
  if (!isEnd) note(report, { row: SYSTEM_CHAIN, problem, at: report.verifiedAt });
  const byHand = "it lies beyond the end of the chain: the row was written by hand";
  for (const seq of beyond) note(report, { row: `${SYSTEM_CHAIN} row ${seq}`, problem: byHand, at: report.verifiedAt });
}

async function checkAnchors({ db }: EngineDeps, retained: Retained, report: AuditReport): Promise<void> {
  const keys = auditKeys();
  let before: { seq: number; hash: string } | undefined;
  for await (const anchor of streamAnchorRows(db)) {
    report.anchors++;
    const at = anchor.createdAt.toISOString();
    report.lastAnchorAt = at;
    const problem = anchorProblem(anchor, before, keys);
    before = anchor;
    if (problem) note(report, { row: `anchor ${anchor.seq}`, problem, at });
    if (problem || anchor.seq <= retained.anchorsTo) continue;
    const heads = headsOf(anchor.body).filter(({ chainId, seq }) => !retained.anchored.has(`${chainId} ${seq}`));
    for (const { chainId, seq } of await findMissingHeads(db, heads)) {
      const gone = `anchor ${anchor.seq} holds this row as the chain's head, and it is gone or another one stands in its place`;
      note(report, { row: `${chainId} row ${seq}`, problem: gone, at });
    }
  }
}

/** A row that cannot be read counts as none; it is reported separately. */
function countEvents(entries: readonly Entry[]): number {
  return entries.reduce((sum, { body }) => sum + countIn(body), 0);
}

function countIn(body: string): number {
  try {
    return eventsOfBody(body).length;
  } catch {
    return 0;
  }
}

function note(report: AuditReport, finding: AuditFinding): void {
  report.findingsTotal++;
  if (report.findings.length < FINDINGS_KEPT * 10) report.findings.push(finding);
}
