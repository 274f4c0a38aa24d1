/**
 * Starts runs and decides while faults happen, as a careful program would: half of it in the test's own process, which
 * advances nothing, and half through serving processes. Without an answer it asks the next process: a start with the
 * same key, or, if it had none, as another run; a decision after checking again whether it still waits.
 */
import { setTimeout as delay } from "node:timers/promises";
import { decideApproval, type DecidedBy } from "@/lib/approvals/decide-approval";
import { settleCall } from "@/lib/runs/settle-call";
import { KimitsuError } from "@/lib/errors";
import { isDatabaseAway } from "@/lib/database/database-away";
import { startTwoCalls } from "@/lib/testing/two-calls";
import type { Fleet, WebProcess } from "@/lib/testing/worker-process";

/** Shorter than a process is stopped for, so that some answers arrive when nobody waits for them any more. */
const ANSWER_MS_MAX = 3_000;
const AGAIN_MS = 200;

export interface ChaosClient {
  /** Resolves with the run when it is known to exist. */
  start(index: number): Promise<string>;
  /** The outcome is not returned: the next check shows it. */
  approve(approvalId: string): Promise<void>;
  settle(callId: string, outcome: "happened" | "did_not_happen"): Promise<void>;
}

/** `webs` are the serving processes; null is one that was killed. */
export async function createChaosClient(
  { fleet, person }: { fleet: Fleet; person: DecidedBy },
  webs: readonly (WebProcess | null)[],
): Promise<ChaosClient> {
  const { deps } = fleet;
  const [decider, starter] = [await fleet.tokenOf(person), await fleet.tokenOf(await fleet.person("Sam"))];
  let acts = 0;
  let asked = 0;
  const isByWeb = () => webs.length > 0 && acts++ % 2 === 0;
  /** Null when there was no answer, or only a temporary refusal. */
  const ask = async (...[path, token, body, headers]: Parameters<WebProcess["post"]>) => {
    const alive = webs.filter((web) => web !== null);
    const answer = await alive[asked++ % alive.length]
      ?.post(path, token, body, headers, AbortSignal.timeout(ANSWER_MS_MAX))
      .catch(() => null);
    return answer && answer.status < 500 ? answer : null;
  };
  const act = async (path: string, body: object, otherwise: () => Promise<unknown>) => {
    if (!isByWeb()) return orTooLate(otherwise());
    const answer = await ask(path, decider, body);
    if (answer && ![200, 409].includes(answer.status)) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  };
  return {
    start: async (index) => {
      if (!isByWeb()) {
        let tries = 0;
        // A start whose answer was lost may have happened; the next try is another run.
        return (await patiently(() => startTwoCalls(deps, `run-${index}-${++tries}`))).runId;
      }
      for (let tries = 1; ; tries += 1) {
        // The first try of some has no key, so that the process which answers may also claim the run; the next one is
        // another run, and has one.
        const hasKey = index % 3 === 0 || tries > 1;
        const tag = hasKey ? `key-${index}` : `web-${index}`;
        const answer = await ask(
          "/runs",
          starter,
          { workflow: "main", params: { tag } },
          hasKey ? { "idempotency-key": tag } : {},
        );
        if (answer?.status === 202) return answer.body.run_id!;
        if (answer) throw new Error(`a start: ${JSON.stringify(answer)}`);
        await delay(Math.min(AGAIN_MS * 2 ** tries, ANSWER_MS_MAX));
      }
    },
    approve: (approvalId) =>
      act(`/approvals/${approvalId}/decide`, { decision: "approve" }, () =>
        decideApproval(deps, person, { approvalId, verdict: "approved" }),
      ),
    settle: (callId, outcome) =>
      act(`/calls/${callId}/settle`, { outcome }, () => settleCall(deps, person.actor, { callId, outcome })),
  };
}

/** The run was faster, or an earlier decision with a lost answer was recorded. */
async function orTooLate(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof KimitsuError && error.code === "conflict")) throw error;
  }
}

/** Again while the database is unavailable. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await delay(AGAIN_MS);
    }
  }
}
