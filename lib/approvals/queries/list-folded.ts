import type { Db } from "@/lib/database/client";
import type { CallRow, RunSnapshot } from "@/lib/runs/snapshot";
import { foldArguments, isFolded } from "@/lib/approvals/view/fold-arguments";
import { showArguments } from "@/lib/approvals/view/show-arguments";

/** Larger arguments are not read for a list and count as folded, because nobody reads them at a glance. */
const READ_BYTES_MAX = 16 * 1024;

interface AskedCall {
  callId: string;
  runId: string;
}

/**
 * Which of these calls have arguments that their card shows only in part at first. `behind` are the runs that are not
 * projected yet.
 */
export async function listFolded(
  db: Db,
  asked: readonly AskedCall[],
  behind: ReadonlyMap<string, RunSnapshot>,
): Promise<ReadonlySet<string>> {
  const projected = asked.filter(({ runId }) => !behind.has(runId)).map(({ callId }) => callId);
  const calls = await db.$queryRaw<ReadCall[]>`
    SELECT id, octet_length(arguments_canonical) <= ${READ_BYTES_MAX} AS "isRead",
      CASE WHEN octet_length(arguments_canonical) <= ${READ_BYTES_MAX} THEN arguments END AS arguments
    FROM calls WHERE id = ANY (${projected})`;
  const folded = asked.flatMap(({ callId, runId }) => behind.get(runId)?.calls.get(callId) ?? []).map(toReadCall);
  const isShownInPart = (call: ReadCall) => !call.isRead || foldArguments(showArguments(call.arguments)).some(isFolded);
  return new Set([...calls, ...folded].filter(isShownInPart).map(({ id }) => id));
}

interface ReadCall {
  id: string;
  arguments: unknown;
  /** False where the arguments are large. */
  isRead: boolean;
}

const toReadCall = ({ id, arguments: args, argumentsCanonical }: CallRow): ReadCall => ({
  id,
  arguments: args,
  isRead: Buffer.byteLength(argumentsCanonical) <= READ_BYTES_MAX,
});
