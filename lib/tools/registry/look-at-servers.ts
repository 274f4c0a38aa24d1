/**
 * Checks the project's tool servers even if no run uses them, so that it is known before an agent needs it which are
 * reachable, and which tools are new, changed or gone. A server whose params only a run can give is left to runs. One
 * of several processes does it.
 */
import type { Project, ProjectServer } from "@/lib/config/project";
import { SERVER_LOOK_INTERVAL_MS } from "@/lib/limits";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import { matchKnownSecrets } from "@/lib/projects/known-secrets";
import { keepList } from "@/lib/tools/registry/keep-list";
import { resolveAlone } from "@/lib/tools/registry/resolve-alone";
import { KimitsuError } from "@/lib/errors";
import { type KnownServerState, listServerStates } from "@/lib/tools/queries/list-known-tools";
import { noteServerState } from "@/lib/tools/transitions/note-server-state";
import { takeThrottle } from "@/lib/database/take-throttle";
import type { ToolServer } from "@/lib/tools/tool-server";

type LookDeps = Pick<RunDeps, "db" | "now" | "projects" | "pool" | "processEnv">;

/**
 * At a start everything not checked in the last minute is due, because the project may be another one. Later, `refresh`
 * decides.
 */
export async function lookAtServers(
  deps: LookDeps,
  { isStart, signal }: { isStart: boolean; signal: AbortSignal },
): Promise<void> {
  const { project } = deps.projects.current();
  const states = await listServerStates(deps.db);
  const due = Object.values(project.servers).filter((server) =>
    isDue(server, states[server.name], { isStart, now: deps.now() }),
  );
  await Promise.all(due.map((server) => look(deps, server, signal)));
}

function isDue(
  { definition }: ProjectServer,
  state: KnownServerState | undefined,
  { isStart, now }: { isStart: boolean; now: Date },
): boolean {
  const intervalMs =
    isStart || !state?.reachable ? SERVER_LOOK_INTERVAL_MS : Math.max(definition.refresh, SERVER_LOOK_INTERVAL_MS);
  return !state || now.getTime() - state.checkedAt.getTime() >= intervalMs;
}

async function look(deps: LookDeps, server: ProjectServer, signal: AbortSignal): Promise<void> {
  const alone = findAlone(deps, deps.projects.current().project, server);
  if (!alone) return;
  const turn = await takeThrottle(
    deps.db,
    { key: `look:${server.name}`, max: 1, windowMs: SERVER_LOOK_INTERVAL_MS },
    deps.now(),
  );
  if (!turn.allowed) return;
  try {
    await keepList(deps, server.name, await deps.pool.listTools(alone, { ageMaxMs: 0, signal }));
  } catch (error) {
    if (signal.aborted) return;
    // Being unreachable is a valid result of this check.
    if (!(error instanceof KimitsuError)) throw error;
    await noteServerState(deps.db, { name: server.name, error: error.message, listHash: null }, deps.now());
  }
}

/** Null when its params depend on a run, or on a variable that is not set here. */
function findAlone({ processEnv }: LookDeps, project: Project, server: ProjectServer): ToolServer | null {
  try {
    return {
      ...resolveAlone(project, server, { variables: processEnv }),
      others: () => matchKnownSecrets(project, processEnv),
    };
  } catch (error) {
    if (error instanceof KimitsuError) return null;
    throw error;
  }
}
