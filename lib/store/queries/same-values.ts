import type { Db } from "@/lib/store/client";
import { redactionOf } from "@/lib/store/queries/show-arguments";

const CALLS_MAX = 500;

/**
 * Where a hidden value was seen before in the same run: fingerprint to "call 2 (crm.lookup)". The first place wins. A hidden value
 * also says whether it is the one that an earlier run had, but that is told by the comparison with the last approved call.
 */
export async function findSameValues(db: Db, call: { id: string; runId: string; arguments: unknown }): Promise<Map<string, string>> {
  const wanted = new Set(fingerprintsIn(call.arguments));
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  const calls = await db.call.findMany({ where: { runId: call.runId, id: { lt: call.id } }, orderBy: { id: "asc" }, take: CALLS_MAX, select: { server: true, tool: true, arguments: true } });
  calls.forEach((other, index) => {
    for (const fingerprint of fingerprintsIn(other.arguments)) {
      if (wanted.has(fingerprint) && !found.has(fingerprint)) found.set(fingerprint, `call ${index + 1} of this run (${other.server}.${other.tool})`);
    }
  });
  return found;
}

function fingerprintsIn(value: unknown): string[] {
  const redaction = redactionOf(value);
  if (redaction) return [redaction.fingerprint];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(fingerprintsIn);
}
