/**
 * A person accepts an agent's answer that needs review, or ends the run. If several wait the command names one of them;
 * if it says which answer was seen, another answer of the same step is a conflict. The person who started the run
 * cannot accept it, unless `permissions.self_approval` says so.
 */
import { KimitsuError } from "@/lib/errors";
import { type Actor, personOf } from "@/lib/people/rules/actor";
import { mayAcceptOwn } from "@/lib/policy/may-accept-own";
import { refuseKnownSecrets } from "@/lib/projects/known-secrets";
import { changeRun, type OutsideChange, pausesAround } from "@/lib/runs/journal/change-run";
import { getOpenRun, type OpenRun } from "@/lib/runs/journal/open-run";
import { type ReviewStep, reviewStepsOf } from "@/lib/runs/queries/list-review-steps";
import { refuseChangedRecord } from "@/lib/runs/journal/refuse-changed-record";
import { stepChainOf } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import type { StartDeps } from "@/lib/runs/start-run";
import { followAct } from "@/lib/telemetry/record-run";
import { digestOutput } from "@/lib/text/digest";

export interface ReviewCommand {
  runId: string;
  accepted: boolean;
  comment?: string | undefined;
  /** May be omitted while only one answer waits. */
  stepId?: string | undefined;
  /** Digest of the answer as it was shown. */
  digest?: string | undefined;
}

export async function reviewStep(deps: StartDeps, actor: Actor, command: ReviewCommand): Promise<void> {
  const { runId, accepted, comment = null } = command;
  refuseKnownSecrets(deps.projects.current().project, deps.processEnv, {
    path: "comment",
    what: "The comment",
    value: command.comment,
  });
  const first = await refuseChangedRecord(() => getOpenRun(deps.db, runId), NOTHING_CHANGED);
  const seen = choose(command, reviewStepsOf(first.snapshot, command.stepId));
  if (command.digest !== undefined && command.digest !== digestOutput(seen.rawOutput)) {
    throw new KimitsuError(
      "conflict",
      `The answer of step ${seen.name} is not the one you saw: the agent has given another one since. Look again, then decide. Nothing was changed.`,
    );
  }
  const refusal = accepted
    ? await findRefusal(deps, first.snapshot, { stepId: seen.id, userId: personOf(actor) })
    : null;
  if (refusal)
    throw new KimitsuError("forbidden", `${refusal} You can refuse it, which ends the run. Nothing was changed.`);
  const at = deps.now();
  const review = { stepId: seen.id, accepted, comment, actor, at: at.toISOString() };
  const build = (run: OpenRun): OutsideChange<null> => {
    refuseUnlessSeen(run, seen);
    return { changes: [{ kind: "step_reviewed", ...review }], queue: { kind: "wake" }, done: null };
  };
  const how = { build, at, first, pauses: pausesAround("review-run", runId) };
  const change = () => refuseChangedRecord(() => changeRun(deps.db, runId, how), NOTHING_CHANGED);
  const outcome = await followAct("review step", runId, change);
  if (outcome.kind !== "done") throw new Error(`unreachable: step ${seen.id} was not reviewed, and nothing refused it`);
  deps.wake(runId);
}

const NOTHING_CHANGED = " Nothing was changed.";

function refuseUnlessSeen({ snapshot }: OpenRun, seen: ReviewStep): void {
  const [now] = reviewStepsOf(snapshot, seen.id);
  if (now && digestOutput(now.rawOutput) === digestOutput(seen.rawOutput)) return;
  throw new KimitsuError(
    "conflict",
    `The answer of step ${seen.name} of run ${snapshot.run.id} waits for a review no more; nothing was changed.`,
  );
}

interface Accepting {
  stepId: string;
  userId: string | null;
}

/** Why this person cannot accept the answer; null when they can, or when no person acts. */
export async function refusalToAccept(
  deps: StartDeps,
  { runId, ...accepting }: Accepting & { runId: string },
): Promise<string | null> {
  const { snapshot } = await refuseChangedRecord(() => getOpenRun(deps.db, runId));
  return findRefusal(deps, snapshot, accepting);
}

async function findRefusal(
  deps: StartDeps,
  snapshot: RunSnapshot,
  { stepId, userId }: Accepting,
): Promise<string | null> {
  if (userId === null || !snapshot.run.starterIds.includes(userId)) return null;
  if (await isOwnAllowed(deps, snapshot, stepId)) return null;
  return "Whoever started a run, or one that it is a retry of, cannot accept its answers; any reviewer who did not start the run can.";
}

/** By the rules that the run began with, and by today's if they are stricter. */
async function isOwnAllowed(deps: StartDeps, snapshot: RunSnapshot, stepId: string): Promise<boolean> {
  const agents = stepChainOf(snapshot, stepId).flatMap(({ agent }) => agent ?? []);
  const { project } = await deps.projects.get(snapshot.run.configHash);
  return mayAcceptOwn(project, agents) && mayAcceptOwn(deps.projects.current().project, agents);
}

function choose({ runId, stepId }: ReviewCommand, waiting: readonly ReviewStep[]): ReviewStep {
  const [only, ...others] = waiting;
  if (!only)
    throw new KimitsuError(
      "conflict",
      `No answer of ${stepId === undefined ? "" : `step ${stepId} of `}run ${runId} waits for a review; nothing was changed.`,
    );
  if (others.length === 0) return only;
  const issues = waiting.map(({ id, name }) => ({ path: id, message: `step ${name}` }));
  const list = issues.map(({ path, message }) => `${path} (${message})`).join("; ");
  throw new KimitsuError(
    "conflict",
    `${waiting.length} answers of run ${runId} wait for a review; name one with step_id: ${list}. Nothing was changed.`,
    { issues },
  );
}
