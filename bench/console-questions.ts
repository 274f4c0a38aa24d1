/**
 * What the console asks for: each list's first page, and each filter, with everything that its page reads, by the
 * functions that it reads it with.
 */
import { findRunPage } from "@/lib/runs/queries/get-run-page";
import { getRunTimeline } from "@/lib/runs/queries/get-run-timeline";
import { getAuditState } from "@/lib/audit/queries/get-audit-state";
import { countPending, getInboxCounts } from "@/lib/approvals/queries/inbox-counts";
import type { InboxReader } from "@/lib/approvals/queries/inbox-reader";
import { getVerdicts } from "@/lib/insights/queries/get-verdicts";
import { listModelCosts, listWorkflowCosts } from "@/lib/insights/queries/list-costs";
import { listExpiries } from "@/lib/insights/queries/list-expiries";
import { listQuickApprovals } from "@/lib/insights/queries/list-quick-approvals";
import { listReviewerVerdicts } from "@/lib/insights/queries/list-reviewer-verdicts";
import { listToolVerdicts } from "@/lib/insights/queries/list-tool-verdicts";
import { listUnrejectedRules } from "@/lib/insights/queries/list-unrejected-rules";
import { listDecided } from "@/lib/approvals/queries/list-decided";
import { listEventSubjects } from "@/lib/audit/queries/list-event-subjects";
import { listEvents } from "@/lib/audit/queries/list-events";
import { listHistory } from "@/lib/runs/queries/list-history";
import { type InboxQuery, listInbox } from "@/lib/approvals/queries/list-inbox";
import { listKnownTools, listServerStates } from "@/lib/tools/queries/list-known-tools";
import { listRunSpans } from "@/lib/runs/queries/list-run-spans";
import { listRuns } from "@/lib/runs/queries/list-runs";
import { listSavedViews } from "@/lib/people/queries/list-saved-views";
import { countNeeds } from "@/lib/runs/queries/needs";
import { listWorkflowStats } from "@/lib/runs/queries/list-workflow-stats";
import { listWorkflowVersions } from "@/lib/projects/queries/list-workflow-versions";
import { searchRuns } from "@/lib/runs/queries/search-console";
import type { RunFilter } from "@/lib/runs/queries/run-filter";
import type { Db } from "@/lib/database/client";
import type { Seeded } from "./seed-console";

export interface Question {
  page: string;
  what: string;
  ask: (db: Db, seeded: Seeded) => Promise<unknown>;
}

const now = () => new Date();
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const WORKFLOWS = Array.from({ length: 20 }, (_, index) => `workflow-${index}`);
/** Those that wait among so many of the newest runs, and that never expire, are fewer than a page. */
const LAST_RUNS = 200;
const runIdOf = ({ runs }: Seeded, part: number) => `run_01${String(Math.ceil(runs * part)).padStart(24, "0")}`;

const readerOf = (userId: string): InboxReader => ({ userId, role: "reviewer", groups: ["finance"] });

type InboxAsked = Omit<InboxQuery, "aside"> & { onlyAside?: boolean };

/** As app/(console)/inbox/inbox-view.tsx does: without what the reader has set aside, which is below the last page. */
async function loadInbox(db: Db, { reviewerId }: Seeded, { onlyAside = false, ...query }: InboxAsked): Promise<void> {
  const reader = readerOf(reviewerId);
  const clock = now();
  const [page, counts] = await Promise.all([
    listInbox(db, reader, { ...query, aside: { only: onlyAside, now: clock } }),
    getInboxCounts(db, reader, clock),
  ]);
  if (page.nextCursor === null && !onlyAside && counts.aside > 0)
    await listInbox(db, reader, { ...query, cursor: undefined, aside: { only: true, now: clock } });
}

/** Every page has the frame around it, with the numbers of calls that wait and of runs that need a person. */
const question = (page: string, what: string, ...parts: Question["ask"][]): Question => ({
  page,
  what,
  ask: (db, seeded) => Promise.all([countPending(db), countNeeds(db), ...parts.map((part) => part(db, seeded))]),
});
const inbox = (what: string, query: InboxAsked | ((seeded: Seeded) => InboxAsked)): Question =>
  question(
    "Inbox",
    what,
    (db, seeded) => loadInbox(db, seeded, typeof query === "function" ? query(seeded) : query),
    listDecided,
  );
const history = (what: string, filter: RunFilter | ((seeded: Seeded) => RunFilter)): Question =>
  question(
    "History",
    what,
    (db, { reviewerId }) => listSavedViews(db, reviewerId),
    (db, seeded) => listHistory(db, { ...(typeof filter === "function" ? filter(seeded) : filter), now: now() }),
  );
const audit = (
  what: string,
  query: Parameters<typeof listEvents>[1] | ((seeded: Seeded) => Parameters<typeof listEvents>[1]),
): Question =>
  question("Audit", what, getAuditState, async (db, seeded) =>
    listEventSubjects(db, (await listEvents(db, typeof query === "function" ? query(seeded) : query)).items),
  );
/** Over a day, which holds as much at both sizes: figures of a longer period take longer because they cover more. */
const day = () => ({ from: ago(24), to: now(), limit: 20 });

const loadInsights = (db: Db, span: ReturnType<typeof day>) =>
  Promise.all([
    getVerdicts(db, { ...span, starts: [span.from] }),
    ...[
      listToolVerdicts,
      listReviewerVerdicts,
      listExpiries,
      listUnrejectedRules,
      listQuickApprovals,
      listWorkflowCosts,
      listModelCosts,
    ].map((list) => list(db, span)),
  ]);

export const QUESTIONS: Question[] = [
  inbox("by expiry", { sort: "expiry" }),
  inbox("by age", { sort: "age" }),
  inbox("by danger", { sort: "danger" }),
  inbox("mine", { sort: "expiry", mine: true }),
  inbox("critical", { sort: "expiry", danger: "critical" }),
  inbox("a workflow", { sort: "expiry", workflow: "workflow-3" }),
  inbox("an agent", { sort: "age", agent: "agent-7" }),
  inbox("a workflow without any", { sort: "danger", workflow: "none" }),
  inbox("a tool", { sort: "expiry", tool: "server-1.tool-1" }),
  inbox("a tool that many are for", { sort: "danger", tool: "server-3.tool-3" }),
  inbox("a tool without any", { sort: "age", tool: "server-1.none" }),
  inbox("text: a word of every call", { sort: "expiry", text: "order" }),
  inbox("text: a word of some", { sort: "danger", text: "workflow 5" }),
  inbox("text: one order", ({ runs }) => ({ sort: "expiry", text: `A-${Math.ceil(runs / 2)}` })),
  inbox("text: one run", (seeded) => ({ sort: "age", text: runIdOf(seeded, 0.5) })),
  inbox("text: a person", { sort: "expiry", text: "person17" }),
  inbox("text: everyone, and a workflow", { sort: "expiry", text: "example.org workflow-5" }),
  inbox("text: nowhere", { sort: "danger", text: "zebra" }),
  inbox("set aside", { sort: "expiry", onlyAside: true }),
  inbox("last page, with what was set aside", ({ runs }) => ({
    sort: "expiry",
    cursor: { id: `apr_01${String((runs - LAST_RUNS) * 2).padStart(24, "0")}`, danger: "medium", expiresAt: null },
  })),
  history("first page", {}),
  history("complete", { status: ["complete"] }),
  history("failed", { status: ["failed"] }),
  history("running", { status: ["running"] }),
  history("waiting for approval", { status: ["pending_approval"] }),
  history("needs a person", { status: ["needs_human_review"] }),
  history("to review or settle", { needs: ["review", "settle"] }),
  history("to settle, of a workflow", { needs: ["settle"], workflow: "workflow-3" }),
  history("cancelled", { status: ["cancelled"] }),
  history("queued, of which there are none", { status: ["pending"] }),
  history("a workflow", { workflow: "workflow-3" }),
  history("a workflow without any", { workflow: "none" }),
  history("failed of a workflow", { workflow: "workflow-3", status: ["failed"] }),
  history("an agent", { agent: "agent-7" }),
  history("an agent without any", { agent: "none" }),
  history("started by", { who: "person17@example.org" }),
  history("last 24 hours", { from: ago(24) }),
  history("an hour of yesterday", { from: ago(25), to: ago(24) }),
  history("cost under 1 cent", { costMax: 0.01 }),
  history("cost over $5, which few have", { costMin: 5 }),
  history("cost over $500, of which there are none", { costMin: 500 }),
  history("text: a workflow's name", { text: "workflow-3" }),
  history("text: one order", ({ runs }) => ({ text: `A-${Math.ceil(runs / 2)}` })),
  history("text: nowhere", { text: "zebra" }),
  question("Palette", "runs by a word that few have", (db, { runs }) => searchRuns(db, `A-${Math.ceil(runs / 2)}`)),
  question("Palette", "runs by a workflow's name", (db) => searchRuns(db, "workflow-3")),
  { page: "API", what: "GET /runs", ask: (db) => listRuns(db, {}) },
  { page: "API", what: "GET /runs?status=failed", ask: (db) => listRuns(db, { status: ["failed"] }) },
  question(
    "Run",
    "timeline",
    (db, seeded) => findRunPage(db, runIdOf(seeded, 0.5), now()),
    (db, seeded) => getRunTimeline(db, runIdOf(seeded, 0.5)),
    (db, seeded) => listRunSpans(db, runIdOf(seeded, 0.5), { from: new Date(0), to: now(), max: 80 }),
  ),
  question("Workflows", "all twenty", (db) => listWorkflowStats(db, WORKFLOWS)),
  question(
    "Workflows",
    "one",
    (db) => listWorkflowStats(db, ["workflow-3"]),
    (db) => listWorkflowVersions(db, "workflow-3"),
    (db) => listHistory(db, { workflow: "workflow-3", now: now(), limit: 20 }),
  ),
  question("Tools", "all", listKnownTools, listServerStates),
  question("Insights", "a day", (db) => loadInsights(db, day())),
  audit("first page", {}),
  audit("a type", { type: "approval.decided" }),
  audit("a noun", { type: "approval" }),
  audit("a rare noun", { type: "user" }),
  audit("a type without any", { type: "token.revoked" }),
  audit("a person", { actor: `usr_01${"17".padStart(24, "0")}` }),
  audit("a person by name", { actor: "person17@example.org" }),
  audit("one run", (seeded) => ({ chainId: runIdOf(seeded, 0.5) })),
  audit("what belongs to no run", { chainId: "system" }),
  audit("last 24 hours", { from: ago(24) }),
  audit("an hour of yesterday", { from: ago(25), to: ago(24) }),
  audit("decisions of an hour of yesterday", { type: "approval.decided", from: ago(25), to: ago(24) }),
];
