import type { ApprovalStatus } from "@/lib/domain/approval-state";
import { showInvisible } from "@/lib/domain/tool-text";
import type { Db } from "@/lib/store/client";
import { type ChangedArgument, listChanges } from "@/lib/store/queries/list-changes";
import { type Page, toPage } from "@/lib/store/queries/page";
import { shown } from "@/lib/store/queries/shown";
import { nameSteps } from "@/lib/store/queries/step-names";

export interface RunApproval {
  id: string;
  stepId: string;
  stepKey: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  status: ApprovalStatus;
  approvers: string[];
  minApprovals: number;
  approvals: number;
  requestedAt: Date;
  decidedAt: Date | null;
  expiresAt: Date | null;
  /** What a person changed of what the agent proposed. */
  changes: ChangedArgument[];
  decisions: { name: string; viaToken: string | null; verdict: "approved" | "rejected"; reason: string | null; comment: string | null; edited: boolean; at: Date }[];
}

const PAGE = 50;

/** The questions that a run put to people, oldest first, with who said what and when. */
export async function listRunApprovals(db: Db, { runId, cursor, fingerprint }: { runId: string; cursor?: string; fingerprint: (value: string) => string }): Promise<Page<RunApproval>> {
  const rows = await db.approval.findMany({
    where: { runId, id: cursor ? { gt: cursor } : undefined },
    orderBy: { id: "asc" },
    take: PAGE + 1,
    include: {
      call: { select: { id: true, parentCallId: true, turnId: true, modelCallId: true, tool: true, definitionFingerprint: true, arguments: true, step: { select: { key: true } } } },
      decisions: { orderBy: { id: "asc" }, include: { user: { select: { name: true } }, token: { select: { name: true } } } },
    },
  });
  const isEdited = ({ decisions }: Pick<(typeof rows)[number], "decisions">) => decisions.some(({ argumentsCanonical }) => argumentsCanonical !== null);
  const [nameOf, changes] = await Promise.all([nameSteps(db, rows.map(({ call }) => call)), listChanges(db, rows.filter(isEdited).map(({ call }) => call), fingerprint)]);
  return toPage(rows, PAGE, (row) => row.id, ({ call, decisions, createdAt, summary, ...row }) => ({
    ...row,
    summary: showInvisible(summary),
    stepKey: nameOf(call),
    requestedAt: createdAt,
    changes: isEdited({ decisions }) ? (changes.get(call.id) ?? []) : [],
    decisions: decisions.map(({ user, token, verdict, reason, comment, argumentsCanonical, createdAt: at }) => ({ name: user.name, viaToken: token?.name ?? null, verdict, reason: shown(reason), comment: shown(comment), edited: argumentsCanonical !== null, at })),
  }));
}
