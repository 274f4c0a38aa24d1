/**
 * Named points at which a test can hold a process, let it continue, or kill it. `await pause("…")` is placed before and
 * after every commit and every call to the outside. Without a holder the function is one comparison and returns
 * undefined: no promise is made, and the `await` costs one turn of the microtask queue.
 */
import net from "node:net";
import { createInterface } from "node:readline";
import { env } from "@/lib/env";

/** What is written in one commit, and touches nothing outside. */
const COMMITS = [
  "start-run",
  "claim-run",
  "renew-lease",
  "rescue-run",
  "judge-calls",
  "park-run",
  "decide-approval",
  "expire-approval",
  "escalate-approval",
  "settle-call",
  "settle-step",
  "settle-run",
  "write-run",
  "review-run",
  "cancel-run",
  "retry-run",
] as const;

/** Points of the process that searches for dead ones: each search, and each attempt of the others to become the one. */
const WATCH_POINTS = ["watch-owners:before-try", "watch-owners:before-look"] as const;

/** Around each transaction in which rows of the projections are written. */
const PROJECTION_POINTS = ["projections:before-commit", "projections:after-commit"] as const;

/** Points around outside effects: the intention is committed, the call is made, its outcome is committed. */
const OUTSIDE_CALLS = ["model-turn", "dispatch-call", "webhook", "notify"] as const;

const AROUND_COMMIT = ["before-commit", "after-commit"] as const;
const AROUND_CALL = [
  "before-executing-commit",
  "after-executing-commit",
  "before-call",
  "after-call",
  "before-result-commit",
  "after-result-commit",
] as const;

export type PausePoint =
  | (typeof WATCH_POINTS)[number]
  | (typeof PROJECTION_POINTS)[number]
  | `${(typeof COMMITS)[number]}:${(typeof AROUND_COMMIT)[number]}`
  | `${(typeof OUTSIDE_CALLS)[number]}:${(typeof AROUND_CALL)[number]}`;

/** Every point there is, so that a test can kill a process at each of them. */
export const PAUSE_POINTS: readonly PausePoint[] = [
  ...COMMITS.flatMap((name) => AROUND_COMMIT.map((moment) => `${name}:${moment}` as const)),
  ...OUTSIDE_CALLS.flatMap((name) => AROUND_CALL.map((moment) => `${name}:${moment}` as const)),
  ...WATCH_POINTS,
  ...PROJECTION_POINTS,
];

/** Returns undefined when nobody holds the point. */
export type PauseHolder = (point: PausePoint, subject: string | undefined) => Promise<void> | undefined;

let holder: PauseHolder | undefined = env.KIMITSU_PAUSE_SOCKET ? holdThrough(env.KIMITSU_PAUSE_SOCKET) : undefined;

/** `subject` is the id of what is worked on (run, call, approval), so that a test can hold one of many. */
export function pause(point: PausePoint, subject?: string): Promise<void> | undefined {
  return holder === undefined ? undefined : holder(point, subject);
}

/** For lib/testing/pause-points.ts, which holds points of its own process. Returns the previous holder. */
export function setPauseHolder(next: PauseHolder | undefined): PauseHolder | undefined {
  const previous = holder;
  holder = next;
  return previous;
}

/**
 * Reports each point to the test that listens on the socket and waits for its answer. Only the test knows what is held,
 * so a hold placed a moment ago is never missed. When the test is gone everything continues.
 */
function holdThrough(path: string): PauseHolder {
  const waiting = new Map<number, () => void>();
  let count = 0;
  let isGone = false;
  const socket = net.connect(path);
  const releaseAll = () => {
    isGone = true;
    for (const go of waiting.values()) go();
    waiting.clear();
  };
  socket.on("error", releaseAll).on("close", releaseAll).unref();
  // The reader re-emits the socket's errors, and one without a listener would end the process.
  const lines = createInterface({ input: socket }).on("error", releaseAll);
  lines.on("line", (line) => {
    const { go } = JSON.parse(line) as { go: number };
    waiting.get(go)?.();
    waiting.delete(go);
    // A process that waits at a point must stay alive; otherwise it must be free to end.
    if (waiting.size === 0) socket.unref();
  });
  return (point, subject) => {
    if (isGone) return undefined;
    const id = ++count;
    socket.ref();
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      socket.write(`${JSON.stringify({ id, pid: process.pid, point, subject })}\n`);
    });
  };
}
