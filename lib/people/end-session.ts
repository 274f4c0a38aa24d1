/** Signs out: the session of one browser ends, also for copies of its cookie; the person's other sessions continue. */
import type { EngineDeps } from "@/lib/database/deps";
import { SESSION_AGE_MAX_S } from "@/lib/limits";
import { getPerson } from "@/lib/people/queries/get-person";
import { endSessionRow } from "@/lib/people/transitions/end-session";

/** A cookie renewed just before the end stays valid for its whole age, and clocks of processes differ. */
const KEPT_MS = (SESSION_AGE_MAX_S + 24 * 3600) * 1000;

export async function endSession(
  deps: EngineDeps,
  session: { id: string; userId: string; address?: string | undefined },
): Promise<void> {
  const at = deps.now();
  const { name } = await getPerson(deps.db, session.userId);
  const actor = {
    kind: "user" as const,
    id: session.userId,
    name,
    ...(session.address === undefined ? {} : { address: session.address }),
  };
  await endSessionRow(
    deps.db,
    { id: session.id, userId: session.userId, keepUntil: new Date(at.getTime() + KEPT_MS) },
    actor,
    at,
  );
}
