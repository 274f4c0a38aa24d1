/**
 * Reads the whole audit trail and names what was changed, removed or inserted by hand, the earliest first, and with it decisions and calls of which the
 * trail does not tell. Reads only, but
 * for the note of when it was done; safe to run beside a working system: what is appended meanwhile is simply not read.
 */
import { headsOf } from "@/lib/domain/audit-anchor";
import { anchorProblem, eventProblem } from "@/lib/domain/audit-check";
import type { EngineDeps } from "@/lib/engine/deps";
import { auditKeys } from "@/lib/store/audit-keys";
import { findUngrantedCalls, findUntoldCalls, findUntoldDecisions, type UnprovenRow } from "@/lib/store/queries/find-unproven";
import { findMissingHeads, streamAnchorRows, streamEventRows } from "@/lib/store/queries/stream-audit-rows";
import { writeSetting } from "@/lib/store/transitions/write-setting";

/** More are counted but not kept: after the first bad row people read the first, not the thousandth. */
const FINDINGS_KEPT = 100;

export interface AuditFinding {
  /** `run_… event 4`, `system event 12`, `anchor 7`, `run_… dec_…`. */
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

export async function verifyAudit(deps: EngineDeps): Promise<AuditReport> {
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
  await checkEvents(deps, report);
  await checkAnchors(deps, report);
  await checkRows(deps, report);
  report.findings.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).splice(FINDINGS_KEPT);
  report.ok = report.findingsTotal === 0;
  await writeSetting(deps.db, { key: "audit.verification", value: { ...report, findings: report.findings.slice(0, 1) } }, deps.now());
  return report;
}

async function checkEvents(deps: EngineDeps, report: AuditReport): Promise<void> {
  const keys = auditKeys();
  let before: { chainId: string; seq: number; hash: string } | undefined;
  for await (const event of streamEventRows(deps.db)) {
    if (event.chainId !== before?.chainId) {
      before = undefined;
      report.chains++;
    }
    report.events++;
    const problem = eventProblem(event, before, keys);
    if (problem) note(report, { row: `${event.chainId} event ${event.seq} (${event.id})`, problem, at: event.at.toISOString() });
    before = event;
  }
}

async function checkAnchors(deps: EngineDeps, report: AuditReport): Promise<void> {
  const keys = auditKeys();
  let before: { seq: number; hash: string } | undefined;
  for await (const anchor of streamAnchorRows(deps.db)) {
    report.anchors++;
    report.lastAnchorAt = anchor.createdAt.toISOString();
    const at = report.lastAnchorAt;
    const problem = anchorProblem(anchor, before, keys);
    if (problem) note(report, { row: `anchor ${anchor.seq}`, problem, at });
    else {
      for (const head of await findMissingHeads(deps.db, headsOf(anchor.body))) {
        const gone = `anchor ${anchor.seq} holds this event as the chain's head, and it is gone or another one stands in its place`;
        note(report, { row: `${head.chainId} event ${head.seq}`, problem: gone, at });
      }
    }
    before = anchor;
  }
}

/** Rows by which calls are sent are not sealed themselves; what they say must stand in events that are. */
async function checkRows({ db }: EngineDeps, report: AuditReport): Promise<void> {
  const found: [UnprovenRow[], string][] = [
    [await findUntoldDecisions(db), "no event tells of this decision: the row was changed or written by hand"],
    [await findUntoldCalls(db), "it was sent, and no event tells of these arguments: the row was changed or written by hand"],
    [await findUngrantedCalls(db), "people were asked about it, and it was sent without an event by which they approved these arguments"],
  ];
  for (const [rows, problem] of found) for (const { id, runId, at } of rows) note(report, { row: `${runId} ${id}`, problem, at: at.toISOString() });
}

function note(report: AuditReport, finding: AuditFinding): void {
  report.findingsTotal++;
  if (report.findings.length < FINDINGS_KEPT * 10) report.findings.push(finding);
}
