/**
 * What the database knows of a tool. An unreachable database is not a failure: the files answer then, and the answer
 * says so.
 */
import { openDatabase } from "@/lib/cli/database";
import type { KnownTool } from "@/lib/cli/explain";
import type { Project } from "@/lib/config/project";
import { lockedPins, readToolsLock } from "@/lib/config/tools-lock";
import { judgePin } from "@/lib/tools/rules/tool-pin";
import { isDatabaseAway } from "@/lib/database/database-away";
import { listFirstUsePins, listKnownTools } from "@/lib/tools/queries/list-known-tools";

export async function findKnownTool(project: Project, server: string, tool: string): Promise<KnownTool> {
  try {
    const { db } = await openDatabase();
    const [all, firstUse] = await Promise.all([listKnownTools(db), listFirstUsePins(db)]);
    const tools = all.filter((each) => each.server === server);
    if (tools.length === 0) return { kind: "never_seen" };
    const lock = readToolsLock(project.root);
    const seen = tools.find((each) => each.tool === tool);
    if (!seen) return { kind: "unlisted", hasLock: lock !== null };
    const pin = judgePin(seen.definition, lock === null ? null : lockedPins(lock, server), firstUse[server] ?? null);
    return {
      kind: "seen",
      definition: seen.definition,
      pin,
      hasLock: lock !== null,
      seenAt: seen.lastSeenAt,
      gone: seen.goneAt !== null,
    };
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    return { kind: "no_database", reason: "the database cannot be reached" };
  }
}
