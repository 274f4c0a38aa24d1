import { chooseConfirmWord } from "@/lib/approvals/view/confirm-word";
import { cardFacts, escapeInvisible, isEdited } from "@/lib/approvals/view/card-facts";
import { compareArguments } from "@/lib/approvals/view/compare-arguments";
import { foldArguments } from "@/lib/approvals/view/fold-arguments";
import { findSameValues } from "@/lib/approvals/view/same-values";
import { listInvisible, showArguments } from "@/lib/approvals/view/show-arguments";
import { findSameCalls } from "@/lib/approvals/queries/find-same-calls";
import { readRunOf } from "@/lib/approvals/queries/get-approval";
import type { InboxReader } from "@/lib/approvals/queries/inbox-reader";
import { listApprovedCalls } from "@/lib/approvals/queries/list-approved-calls";
import { listChanges } from "@/lib/approvals/queries/list-changes";
import { listDeciders } from "@/lib/approvals/queries/list-deciders";
import { getRunSoFar } from "@/lib/approvals/queries/run-so-far";
import { seenBefore } from "@/lib/approvals/queries/seen-before";
import { countRefused, type FailureReach, RETRIES_AFTER_REJECTION } from "@/lib/approvals/rules/after-rejection";
import { refusalToDecide } from "@/lib/approvals/rules/eligibility";
import { liesAside } from "@/lib/approvals/rules/set-aside";
import type { Db } from "@/lib/database/client";
import type { StricterRule } from "@/lib/policy/approval-rule";
import { assessDanger, type StatedFacts } from "@/lib/policy/danger";
import { findAskingClient } from "@/lib/proxy/queries/find-client";
import { callOf } from "@/lib/runs/changes/move";
import { eventsOfBody } from "@/lib/runs/journal/entry";
import { describeStarter, findStarters } from "@/lib/runs/queries/starter-people";
import { responseOfTurn, stepKeyOf } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import { findDefinitionOf } from "@/lib/tools/queries/find-definition";

export type ApprovalCard = NonNullable<Awaited<ReturnType<typeof findCard>>>;

/** What the project says about a call, in addition to what is on record. */
export interface CardContext {
  /** Set if the project's rule became stricter while the call waits. */
  stricter: StricterRule | null;
  /** What ends when a rejection fails the agent. */
  reach: FailureReach;
  /** What the server's file says about the tool. */
  stated: StatedFacts;
  /** Tells hidden values apart; without it, what people changed is not shown. */
  fingerprint: ((value: string) => string) | null;
}

const NO_CONTEXT: CardContext = { stricter: null, reach: { ends: "run" }, stated: {}, fingerprint: null };

/**
 * Everything that a reviewer needs to decide one call, as it is on record, under a stricter rule if there is one now.
 * Hidden characters in untrusted text are made visible.
 */
export async function findCard(
  db: Db,
  approvalId: string,
  { reader, now, context = NO_CONTEXT }: { reader: InboxReader; now: Date; context?: CardContext },
) {
  const { stricter, reach, stated, fingerprint } = context;
  const asked = await db.approval.findUnique({ where: { id: approvalId }, select: { runId: true } });
  const snapshot = asked && (await readRunOf(db, asked.runId))?.snapshot;
  const stored = snapshot?.approvals.get(approvalId);
  if (!snapshot || !stored) return null;
  const { run } = snapshot;
  const call = callOf(snapshot, stored.callId);
  const row = stricter === null || stored.status !== "pending" ? stored : { ...stored, ...held(stricter) };
  const { approvers, selfApproval, decisions } = row;
  const deciding = { approvers, selfApproval, starterIds: run.starterIds };
  const decidedBy = decisions.map(({ userId }) => userId);
  const starter = starterOf(snapshot);
  const question = { ...row, runId: run.id };
  const [definition, earlier, same, seen, soFar, deciders, personBehind, cancelledBy, changes, setAsides, client] =
    await Promise.all([
      call.definitionFingerprint ? findDefinitionOf(db, row.tool, call.definitionFingerprint) : null,
      listApprovedCalls(db, question),
      findSameCalls(db, question),
      seenBefore(db, question, now),
      getRunSoFar(db, snapshot),
      listDeciders(db, deciding, decidedBy),
      findStarters(db, [starter]),
      row.status === "cancelled" ? findCanceller(db, run.id) : null,
      fingerprint && decisions.some(isEdited)
        ? listChanges(db, [{ ...call, response: responseOfTurn(snapshot, call) }], fingerprint)
        : null,
      readSetAsides(db, approvalId),
      findAskingClient(db, run.id),
    ]);
  // Required arguments come first, in the order of the tool's author.
  const required = definition?.inputSchema.required;
  const names = Array.isArray(required) ? required.map(String) : [];
  const shown = showArguments(call.arguments, names);
  const compared = compareArguments(
    shown,
    earlier.map((other) => showArguments(other.arguments, names)),
    findSameValues(snapshot, call),
  );
  return {
    ...cardFacts(row, call, run.id),
    digest: row.questionDigest,
    startedBy: describeStarter(starter, personBehind(starter)),
    cancelledBy,
    client,
    stepKey: stepKeyOf(snapshot, call),
    destructive: assessDanger(definition?.annotations, stated).destructive,
    arguments: foldArguments(compared.arguments),
    gone: compared.gone,
    changes: changes?.get(call.id) ?? [],
    comparedWith: earlier[0] ? { by: earlier[0].by, at: earlier[0].at } : null,
    copyText: escapeInvisible(call.arguments),
    triesLeft: Math.max(RETRIES_AFTER_REJECTION - countRefused(snapshot.calls.values(), call), 0),
    confirmWord: row.danger === "critical" ? chooseConfirmWord(row.tool, shown) : null,
    same,
    seen,
    run: soFar,
    refusal: refusalToDecide(reader, deciding),
    decidedByReader: decidedBy.includes(reader.userId),
    deciders,
    reach,
    stricter:
      row === stored
        ? null
        : {
            refusal: stricter?.refusal ?? null,
            was: { approvers: stored.approvers, minApprovals: stored.minApprovals },
          },
    setAsides: setAsides
      .map((aside) => toSetAside(aside, row.version, { reader, now }))
      .filter((aside) => aside.isHeld || aside.note !== null),
    edit:
      row.editable && row.approvals === 0
        ? {
            schema: definition?.inputSchema ?? null,
            arguments: call.arguments,
            invisible: listInvisible(call.arguments, Object.keys(definition?.inputSchema.properties ?? {})),
          }
        : null,
    now: now.toISOString(),
  };
}

const held = ({ approvers, rule }: StricterRule) => ({
  approvers,
  minApprovals: rule.minApprovals,
  selfApproval: rule.selfApproval,
  editable: rule.edit,
});

/** Null if nobody cancelled the run. */
async function findCanceller(db: Db, runId: string): Promise<string | null> {
  const [row] = await db.$queryRaw<{ body: string }[]>`
    SELECT body FROM journal WHERE run_id = ${runId} AND body LIKE '%"type":"run.cancelled"%' ORDER BY seq DESC LIMIT 1`;
  return (row && eventsOfBody(row.body).find(({ type }) => type === "run.cancelled")?.actor.name) ?? null;
}

const starterOf = ({ run: { startedBy, startedByUserId } }: RunSnapshot) => ({
  startedByKind: startedBy.kind,
  startedByName: startedBy.name,
  startedByUserId,
});

type SetAside = Awaited<ReturnType<typeof readSetAsides>>[number];

const readSetAsides = (db: Db, approvalId: string) =>
  db.setAside.findMany({
    where: { approvalId },
    include: { user: { select: { name: true } } },
    orderBy: { createdAt: "asc" },
  });

function toSetAside(
  { userId, user, note, until, version, createdAt }: SetAside,
  current: number,
  { reader, now }: { reader: InboxReader; now: Date },
) {
  const isHeld = liesAside({ until, version }, current, now);
  return {
    userId,
    by: user.name,
    isReader: userId === reader.userId,
    note,
    at: createdAt.toISOString(),
    until: until?.toISOString() ?? null,
    isHeld,
  };
}
