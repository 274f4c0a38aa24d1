/**
 * Stores a list of tools that was read outside a run: the server's state, every definition, and without a lock file the
 * first one as the trusted one. Also that the program of a server has ended.
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

/** For the pool, which reports an announced change without waiting. */
export function createListKeeper(deps: KeepDeps): (server: string, list: ToolList) => void {
  return (server, list) =>
    void keepList(deps, server, list).catch((error: unknown) =>
      log.warn({ server, err: error }, "a list of tools that a server announced could not be stored"),
    );
}

/** For the pool, when the program of a server ended by itself: its state says so until it answers again. */
export function createEndKeeper({ db, now }: Pick<KeepDeps, "db" | "now">): (server: string, reason: string) => void {
  return (server, reason) => {
    log.warn({ server, reason }, "the program of a tool server has ended");
    const error = `Server ${server}: ${reason}; it is started again when it is needed.`;
    noteServerState(db, { name: server, error, listHash: null }, now()).catch((err: unknown) =>
      log.warn({ server, err }, "the end of a tool server's program could not be stored"),
    );
  };
}

/** What programs write to their standard error, which is where they say what went wrong. */
export function logProgramLine(server: string, line: string): void {
  log.info({ server, line }, "a tool server wrote to its standard error");
}
