/** Tells those who follow a run in this process when someone called it awake, whichever process that was. One line serves all of them. */
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { openWakeLine, type WakeLine } from "@/lib/store/wake-line";

const listeners = new Map<string, Set<() => void>>();
let line: WakeLine | null = null;

/** Gives back how to stop hearing. A call may be missed while the line is down; whoever listens polls as well. */
export function hearWakes(runId: string, onWake: () => void): () => void {
  const own = listeners.get(runId) ?? new Set();
  listeners.set(runId, own.add(onWake));
  if (env.DATABASE_URL) line ??= openWakeLine(env.DATABASE_URL, createId("worker"), (called) => listeners.get(called)?.forEach((wake) => wake()));
  return () => {
    own.delete(onWake);
    if (own.size === 0 && listeners.get(runId) === own) listeners.delete(runId);
    if (listeners.size > 0) return;
    void line?.close();
    line = null;
  };
}
