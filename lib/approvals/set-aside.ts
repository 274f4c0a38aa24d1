/**
 * "Not now": a call sinks in a reviewer's own queue, and others can read why. It decides nothing and gives nobody more
 * time.
 */
import { z } from "zod";
import type { EventData } from "@/lib/audit/rules/audit-event";
import { refusalToDecide } from "@/lib/approvals/rules/eligibility";
import { ASIDE_MINUTES_MAX, NOTE_LENGTH_MAX } from "@/lib/limits";
import { returnTime } from "@/lib/approvals/rules/set-aside";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import type { EngineDeps } from "@/lib/database/deps";
import { refuseKnownSecrets } from "@/lib/projects/known-secrets";
import { parseInput } from "@/lib/text/parse-input";
import type { Runtime } from "@/lib/runs/runtime";
import { KimitsuError } from "@/lib/errors";
import { getRunIdOfApproval } from "@/lib/approvals/queries/get-approval";
import { endAside, isAside, keepAside } from "@/lib/approvals/transitions/set-aside-sql";
import { approvalOf } from "@/lib/runs/changes/move";
import { changeRun } from "@/lib/runs/journal/change-run";
import { refuseChangedRecord } from "@/lib/runs/journal/refuse-changed-record";
import type { RunSnapshot } from "@/lib/runs/snapshot";

const commandSchema = z.strictObject({
  approvalId: z.string(),
  note: z.string().trim().max(NOTE_LENGTH_MAX).optional(),
  /** Null: until something about the call changes. */
  minutes: z.int().min(1).max(ASIDE_MINUTES_MAX).nullable(),
});

type Command = z.output<typeof commandSchema>;

export async function setAside(
  deps: Runtime,
  by: DecidedBy,
  input: z.input<typeof commandSchema>,
): Promise<{ until: Date | null }> {
  const command = parseInput(commandSchema, input);
  const runId = await getRunIdOfApproval(deps.db, command.approvalId);
  const at = deps.now();
  const build = ({ snapshot }: { snapshot: RunSnapshot }) => {
    const built = buildAside(snapshot, command, { by, at });
    const { project } = deps.projects.current();
    refuseKnownSecrets(project, deps.processEnv, { path: "note", what: "The note", value: command.note });
    return built;
  };
  const outcome = await refuseChangedRecord(() => changeRun(deps.db, runId, { build, at }), NOTHING_CHANGED);
  if (outcome.kind !== "done")
    throw new KimitsuError("conflict", describeEnd({ id: command.approvalId, status: "pending" }));
  return { until: outcome.done };
}

const NOTHING_CHANGED = " Nothing was changed.";

function buildAside(snapshot: RunSnapshot, command: Command, { by, at }: { by: DecidedBy; at: Date }) {
  const approval = approvalOf(snapshot, command.approvalId);
  const refusal = refusalToDecide(by, { ...approval, starterIds: snapshot.run.starterIds });
  if (refusal)
    throw new KimitsuError("forbidden", `Only who could decide can set a call aside. ${refusal} Nothing was changed.`);
  const expiresAt = approval.expiresAt === null ? null : new Date(approval.expiresAt);
  if (approval.status !== "pending" || (expiresAt && expiresAt <= at))
    throw new KimitsuError("conflict", describeEnd(approval));
  const until = returnTime(at, command.minutes === null ? null : command.minutes * 60_000, expiresAt);
  const note = command.note || null;
  const data = { approval_id: approval.id, until: until?.toISOString() ?? null, note };
  const kept = keepAside({ approvalId: approval.id, userId: by.userId, note, version: approval.version, until, at });
  return { ...noted("approval.set_aside", data, { by, at }), also: [kept], done: until };
}

export async function takeUp(deps: EngineDeps, by: DecidedBy, approvalId: string): Promise<void> {
  const id = parseInput(z.string(), approvalId);
  const runId = await getRunIdOfApproval(deps.db, id);
  const at = deps.now();
  const own = { approvalId: id, userId: by.userId, at };
  const guards = [isAside(own)];
  const also = [endAside(own)];
  const change = noted("approval.taken_up", { approval_id: id }, { by, at });
  const outcome = await refuseChangedRecord(
    () => changeRun(deps.db, runId, { build: () => ({ ...change, guards, also, done: null }), at }),
    NOTHING_CHANGED,
  );
  if (outcome.kind !== "done")
    throw new KimitsuError("conflict", `You have not set approval ${id} aside; nothing was changed.`);
}

type Noted = "approval.set_aside" | "approval.taken_up";

function noted(type: Noted, data: EventData, { by, at }: { by: DecidedBy; at: Date }) {
  const change = { kind: "approval_noted", at: at.toISOString(), type, data, actor: by.actor } as const;
  return { changes: [change], queue: { kind: "stay" } as const };
}

const describeEnd = ({ id, status }: { id: string; status: string }): string =>
  `Approval ${id} is ${status === "pending" ? "over: its time has passed" : status}; nothing was changed.`;
