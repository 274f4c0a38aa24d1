/** The switch that stops all calls, approved ones included, until it is switched back. */
import type { Actor } from "@/lib/people/rules/actor";
import type { EngineDeps } from "@/lib/database/deps";
import { pauseDispatchRow } from "@/lib/runs/transitions/pause-dispatch";

export async function pauseDispatch(deps: EngineDeps, actor: Actor, paused: boolean): Promise<void> {
  await pauseDispatchRow(deps.db, { paused, actor }, deps.now());
}
