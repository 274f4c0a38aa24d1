/** Kimitsu as a subject: what a request and a worker do, one after the other in one process. */
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { isRunSettled } from "@/lib/domain/run-state";
import { decideApproval } from "@/lib/engine/decide-approval";
import { startRun } from "@/lib/engine/start-run";
import { processVariables } from "@/lib/env";
import { createId } from "@/lib/ids";
import { findCandidate } from "@/lib/store/queries/list-runnable";
import { openWakeLine } from "@/lib/store/wake-line";
import { startRunLoop } from "@/lib/worker/run-loop";
import { advance, createReviewer, openKimitsu } from "./kimitsu-runtime";
import { runSubject, type Subject, type SubjectOptions } from "./subject.mjs";

const LOOK_MS = 20;

async function open({ url, onAct }: SubjectOptions): Promise<Subject> {
  const { deps, close } = await openKimitsu({ url, onAct });
  const by = await createReviewer(deps);
  const owner = createId("worker");

  async function start(): Promise<string> {
    const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
    await advance(deps, owner, runId, "pending");
    return runId;
  }
  async function decide(runId: string): Promise<void> {
    const { id } = await deps.db.approval.findFirstOrThrow({ where: { runId }, select: { id: true } });
    await decideApproval(deps, by, { approvalId: id, verdict: "approved" });
    await advance(deps, owner, runId, "pending_approval");
  }
  /** A worker starts, and finds what the dead one had. */
  async function recover(runId: string): Promise<"ended" | "review"> {
    const line = openWakeLine(url, owner, () => undefined);
    const loop = startRunLoop(deps, { ownerId: owner, capacity: 16, line });
    await line.opened;
    for (;;) {
      const status = (await findCandidate(deps.db, runId))?.status;
      if (!status) throw new Error(`run ${runId} is gone`);
      if (isRunSettled(status) || status === "needs_human_review") {
        await loop.stop();
        await line.close();
        return status === "needs_human_review" ? "review" : "ended";
      }
      await delay(LOOK_MS);
    }
  }
  return { start, decide, recover, close };
}

const { DATABASE_URL: url = "", BENCH_TASK: task = "{}" } = processVariables();
await runSubject(open, { url, task: JSON.parse(task) });
