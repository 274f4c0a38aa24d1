/**
 * Counts tokens and secrets that do not work, per network, and refuses past a limit. A network that is over it is
 * remembered in this process until its window ends, so that a flood writes nothing: all its writes would wait for the
 * same row.
 */
import { BAD_TOKEN_WINDOW_MS, BAD_TOKENS_PER_ADDRESS } from "@/lib/limits";
import { networkOf } from "@/lib/people/rules/network-of";
import type { EngineDeps } from "@/lib/database/deps";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/database/client";
import { takeThrottle } from "@/lib/database/take-throttle";

/** Beyond this number, networks are counted in the database again. */
const REMEMBERED_MAX = 10_000;

const remembered = new WeakMap<Db, Map<string, Date>>();

/** Throws `rate_limited` past the limit; `what` does not work, as in "tokens". */
export async function countBadProof(
  { db, now }: EngineDeps,
  { address, what }: { address: string; what: string },
): Promise<void> {
  const at = now();
  const network = networkOf(address);
  const until = findFull(db, network, at) ?? (await count(db, network, at));
  if (until === null) return;
  const retryAfterS = Math.ceil((until.getTime() - at.getTime()) / 1000);
  throw new KimitsuError(
    "rate_limited",
    `Too many requests with ${what} that do not work; try again in ${retryAfterS} s.`,
    { retryAfterS },
  );
}

function findFull(db: Db, network: string, at: Date): Date | null {
  const until = remembered.get(db)?.get(network);
  return until && until > at ? until : null;
}

async function count(db: Db, network: string, at: Date): Promise<Date | null> {
  const taken = await takeThrottle(
    db,
    { key: `bad-token:${network}`, max: BAD_TOKENS_PER_ADDRESS, windowMs: BAD_TOKEN_WINDOW_MS },
    at,
  );
  if (taken.allowed) return null;
  const full = remembered.get(db) ?? new Map<string, Date>();
  if (full.size >= REMEMBERED_MAX) for (const [other, until] of full) if (until <= at) full.delete(other);
  if (full.size < REMEMBERED_MAX) full.set(network, taken.until);
  remembered.set(db, full);
  return taken.until;
}
