/** The switch that stops all calls, approved ones included, until it is turned back. */
import type { Actor } from "@/lib/domain/actor";
import type { EngineDeps } from "@/lib/engine/deps";
import { pauseDispatchRow } from "@/lib/store/transitions/pause-dispatch";

export async function pauseDispatch(deps: EngineDeps, actor: Actor, paused: boolean): Promise<void> {
  await pauseDispatchRow(deps.db, paused, actor, deps.now());
}
