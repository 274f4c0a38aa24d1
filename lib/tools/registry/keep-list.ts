/**
 * A list of tools that was read for no run: how its server was found, every definition, and without a lock file the
 * first one as the one that is trusted.
 */
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import { log } from "@/lib/log";
import { noteServerState } from "@/lib/tools/transitions/note-server-state";
import { rememberTools } from "@/lib/tools/transitions/remember-tools";
import type { ToolList } from "@/lib/tools/list-tools";

type KeepDeps = Pick<RunDeps, "db" | "now" | "projects">;

export async function keepList({ db, now, projects }: KeepDeps, server: string, list: ToolList): Promise<void> {
  await noteServerState(db, { name: server, error: null, listHash: list.hash }, now());
  await rememberTools(db, { server, hash: list.hash, tools: list.tools, hasLock: projects.lock() !== null }, now());
}

/** For the pool, which tells of a change that a server has announced, and waits for nobody. */
export function createListKeeper(deps: KeepDeps): (server: string, list: ToolList) => void {
  return (server, list) =>
    void keepList(deps, server, list).catch((error: unknown) =>
      log.warn({ server, err: error }, "a list of tools that a server announced could not be kept"),
    );
}
