import type { Db } from "@/lib/store/client";
import { foldArguments, isFolded } from "@/lib/store/queries/fold-arguments";
import { showArguments } from "@/lib/store/queries/show-arguments";

/** Arguments of more bytes are not read for a list, and count as folded: nobody takes them in at a glance. */
const READ_BYTES_MAX = 16 * 1024;

/** Which of these calls have arguments that their card shows only in part until it is asked for the rest. */
export async function listFolded(db: Db, callIds: readonly string[]): Promise<ReadonlySet<string>> {
  const calls = await db.$queryRaw<{ id: string; arguments: unknown; isRead: boolean }[]>`
    SELECT id, CASE WHEN octet_length(arguments_canonical) <= ${READ_BYTES_MAX} THEN arguments END AS arguments, octet_length(arguments_canonical) <= ${READ_BYTES_MAX} AS "isRead"
    FROM calls WHERE id = ANY (${[...callIds]})`;
  return new Set(calls.filter((call) => !call.isRead || foldArguments(showArguments(call.arguments)).some(isFolded)).map(({ id }) => id));
}
