import type { CallRow, RunSnapshot } from "@/lib/runs/snapshot";
import { redactionOf } from "@/lib/approvals/view/show-arguments";

const CALLS_MAX = 500;

/**
 * Where a hidden value occurred before in the same run: fingerprint to "call 2 (crm.lookup)". The first place wins.
 * Whether an earlier run had the same value is shown by the comparison with the last approved call.
 */
export function findSameValues(snapshot: RunSnapshot, call: CallRow): Map<string, string> {
  const wanted = new Set(fingerprintsIn(call.arguments));
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  const calls = [...snapshot.calls.values()].filter(({ id }) => id < call.id).slice(0, CALLS_MAX);
  calls.forEach((other, index) => {
    for (const fingerprint of fingerprintsIn(other.arguments)) {
      if (wanted.has(fingerprint) && !found.has(fingerprint))
        found.set(fingerprint, `call ${index + 1} of this run (${other.server}.${other.tool})`);
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
