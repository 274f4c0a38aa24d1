"use server";

import { unstable_rethrow } from "next/navigation";
import { actorOf, requireSession } from "@/lib/people/session/session";
import type { PreferencesChange } from "@/lib/people/rules/preferences";
import { changePreferences } from "@/lib/people/change-preferences";
import { engineDeps } from "@/lib/database/deps";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";

/** Stores a person's own choice with their account. Null on success; else why not, to be shown beside the control. */
export async function savePreferences(change: PreferencesChange): Promise<string | null> {
  const session = await requireSession();
  try {
    await changePreferences(engineDeps(), actorOf(session), { userId: session.user.id, preferences: change });
    return null;
  } catch (error) {
    unstable_rethrow(error);
    if (error instanceof KimitsuError && error.code !== "internal") return error.message;
    const requestId = createId("request");
    log.error({ err: error, request_id: requestId }, "preferences could not be kept");
    return `The server failed; its log has it under ${requestId}.`;
  }
}
