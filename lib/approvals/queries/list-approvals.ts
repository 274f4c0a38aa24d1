import { type ApprovalInRun, type ApprovalView, listOfRun, toApprovalView } from "@/lib/approvals/queries/get-approval";
import type { ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import type { Db } from "@/lib/database/client";
import type { Prisma } from "@/lib/database/generated/client";
import { type Page, toPage } from "@/lib/database/page";
import { KimitsuError } from "@/lib/errors";
import { LISTED_ARGUMENTS_BYTES_MAX, PAGE_SIZE } from "@/lib/limits";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import { openBehind } from "@/lib/runs/queries/open-behind";
import { readStarters } from "@/lib/runs/queries/starters-sql";
import { nameSteps } from "@/lib/runs/queries/step-names";

export interface ListedApproval extends ApprovalView {
  /** Its arguments were too large for a list and are left out; `getApproval` returns them. */
  argumentsOmitted: boolean;
}

interface ApprovalQuery {
  status?: readonly ApprovalStatus[];
  runId?: string;
  cursor?: string;
  limit?: number;
}

/** Approvals, newest first. Arguments of more than LISTED_ARGUMENTS_BYTES_MAX are not read. */
export async function listApprovals(db: Db, query: ApprovalQuery): Promise<Page<ListedApproval>> {
  const limit = query.limit ?? PAGE_SIZE;
  if (query.runId !== undefined) return listThoseOfRun(db, query.runId, query);
  const rows = await db.approval.findMany({
    where: {
      status: query.status ? { in: [...query.status] } : undefined,
      id: query.cursor ? { lt: query.cursor } : undefined,
    },
    include: listedInclude,
    orderBy: { id: "desc" },
    take: limit + 1,
  });
  const page = toPage(rows, limit, { cursorOf: idOf, map: (row) => row });
  return { ...page, items: await toListed(db, page.items) };
}

const idOf = ({ id }: { id: string }): string => id;

async function listThoseOfRun(db: Db, runId: string, { status, cursor, limit = PAGE_SIZE }: ApprovalQuery) {
  const isMeant = (each: ApprovalView) => (!status || status.includes(each.status)) && (!cursor || each.id < cursor);
  const views = (await listOfRun(db, runId)).filter(isMeant).toReversed();
  return toPage(views.slice(0, limit + 1), limit, { cursorOf: idOf, map: withoutLarge });
}

function withoutLarge(view: ApprovalInRun): ListedApproval {
  const { callers: _callers, chain: _chain, spending: _spending, ...listed } = view;
  const argumentsOmitted = Buffer.byteLength(view.argumentsCanonical) > LISTED_ARGUMENTS_BYTES_MAX;
  return { ...listed, argumentsOmitted, ...(argumentsOmitted ? NO_ARGUMENTS : {}) };
}

const NO_ARGUMENTS = { arguments: null, argumentsCanonical: "" };

const listedInclude = {
  run: { select: { id: true, startedByUserId: true, startedByName: true, retryOfRunId: true, configHash: true } },
  decisions: {
    select: {
      verdict: true,
      comment: true,
      reason: true,
      createdAt: true,
      user: { select: { id: true, name: true } },
      token: { select: { id: true, name: true } },
    },
    orderBy: { id: "asc" },
  },
} satisfies Prisma.ApprovalInclude;

type Row = Prisma.ApprovalGetPayload<{ include: typeof listedInclude }>;

/** What the row does not hold comes from projections, and for runs that are not projected yet from their journal. */
async function toListed(db: Db, rows: readonly Row[]): Promise<ListedApproval[]> {
  const behind = await openBehind(
    db,
    rows.map(({ runId }) => runId),
  );
  const callIds = rows.filter(({ runId }) => !behind.has(runId)).map(({ callId }) => callId);
  const [calls, small, startersOf] = await Promise.all([
    readCalls(db, callIds),
    readSmallArguments(db, callIds),
    readStarters(
      db,
      rows.map(({ run }) => run),
    ),
  ]);
  return rows.map((row) => {
    const snapshot = behind.get(row.runId);
    const folded = snapshot?.approvals.get(row.id);
    if (snapshot && folded) return withoutLarge(toApprovalView(snapshot, folded));
    const call = calls.get(row.callId) ?? UNKNOWN_CALL;
    return toView(row, { call, args: small.get(row.callId) ?? null, starterIds: startersOf(row.runId) });
  });
}

interface ListedCall {
  policyHash: string;
  agentSays: string | null;
  definitionFingerprint: string | null;
  trace: unknown;
  stepKey: string;
}

/** If a run's journal was changed before it was projected, only what is on the row is shown. */
const UNKNOWN_CALL: ListedCall = {
  policyHash: "",
  agentSays: null,
  definitionFingerprint: null,
  trace: [],
  stepKey: "",
};

async function readCalls(db: Db, callIds: string[]): Promise<ReadonlyMap<string, ListedCall>> {
  const calls = await db.call.findMany({
    where: { id: { in: callIds } },
    select: {
      id: true,
      parentCallId: true,
      policyHash: true,
      agentSays: true,
      definitionFingerprint: true,
      trace: true,
      step: { select: { key: true } },
    },
  });
  const nameOf = await nameSteps(db, calls);
  return new Map(calls.map((call) => [call.id, { ...call, stepKey: nameOf(call) }]));
}

interface Arguments {
  arguments: unknown;
  argumentsCanonical: string;
}

async function readSmallArguments(db: Db, callIds: string[]): Promise<ReadonlyMap<string, Arguments>> {
  const rows = await db.$queryRaw<(Arguments & { id: string })[]>`
    SELECT id, arguments, arguments_canonical AS "argumentsCanonical" FROM calls
    WHERE id = ANY (${callIds}) AND octet_length(arguments_canonical) <= ${LISTED_ARGUMENTS_BYTES_MAX}`;
  return new Map(rows.map(({ id, ...read }) => [id, read]));
}

interface Facts {
  call: ListedCall;
  args: Arguments | null;
  starterIds: string[];
}

function toView(row: Row, { call, args, starterIds }: Facts): ListedApproval {
  const { run, decisions, rule, digest, questionDigest, deciders: _deciders, ...rest } = row;
  const { policyHash, agentSays, definitionFingerprint, stepKey } = call;
  return {
    ...rest,
    policyHash,
    agentSays,
    definitionFingerprint,
    stepKey,
    starterIds,
    ...(args ?? NO_ARGUMENTS),
    argumentsOmitted: args === null,
    digest: questionDigest ?? digest,
    argumentsDigest: digest,
    rule: rule as unknown as ApprovalRule,
    trace: call.trace as TraceEntry[],
    configHash: run.configHash,
    startedBy: run.startedByName,
    decisions: decisions.map(({ createdAt, ...said }) => ({ ...said, at: createdAt })),
  };
}

/** The approval that a step waits for, the oldest of several; the last one asked when none waits. */
export async function getApprovalOfStep(db: Db, runId: string, stepKey: string): Promise<ApprovalInRun> {
  const asked = (await listOfRun(db, runId)).filter((each) => each.stepKey === stepKey);
  const found = asked.find(({ status }) => status === "pending") ?? asked.at(-1);
  if (found) return found;
  throw new KimitsuError("not_found", `No call of step ${stepKey} of run ${runId} was ever shown to people.`);
}
