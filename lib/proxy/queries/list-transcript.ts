/** What happened in a session of an MCP client, call by call, for people to read. */
import { listChanges } from "@/lib/approvals/queries/list-changes";
import type { Db } from "@/lib/database/client";
import { type PersonAct, readPersonActs } from "@/lib/runs/queries/list-person-acts";
import { readRun, unknownTimesOf } from "@/lib/runs/queries/read-run";
import { type ShownCall, toShownCall } from "@/lib/runs/queries/shown-call";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import { callsInOrder } from "@/lib/runs/rules/run-places";
import { shown } from "@/lib/text/shown";

export interface TranscriptEntry {
  runId: string;
  at: Date;
  status: RunStatus;
  /** Set when the run ended without its call. */
  error: { code: string; message: string } | null;
  /** Null when the run ended before its call was on record. */
  call: ShownCall | null;
  acts: PersonAct[];
}

export interface Transcript {
  /** In the order in which the client made them. */
  entries: TranscriptEntry[];
  /** The run before which the earlier ones are; null when these are all. */
  earlier: string | null;
}

/** Each is folded from its journal. */
const CALLS_SHOWN = 25;

interface TranscriptQuery {
  sessionId: string;
  before?: string;
  limit?: number;
  /** Tells hidden values apart, where a person has changed arguments. */
  fingerprint: (value: string) => string;
}

/** The newest calls, or the newest of those before a run. */
export async function listTranscript(
  db: Db,
  { sessionId, before, limit = CALLS_SHOWN, fingerprint }: TranscriptQuery,
): Promise<Transcript> {
  const rows = await db.run.findMany({
    where: { sessionId, id: before === undefined ? undefined : { lt: before } },
    orderBy: { id: "desc" },
    take: limit + 1,
    select: { id: true },
  });
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const entries = await Promise.all(ids.toReversed().map((id) => readEntry(db, id, fingerprint)));
  return {
    entries: entries.filter((entry) => entry !== null),
    earlier: rows.length > limit ? (ids.at(-1) ?? null) : null,
  };
}

async function readEntry(
  db: Db,
  runId: string,
  fingerprint: TranscriptQuery["fingerprint"],
): Promise<TranscriptEntry | null> {
  const read = await readRun(db, runId);
  if (!read) return null;
  const { run } = read.snapshot;
  const call = callsInOrder(read.snapshot)[0];
  const isEdited = call?.approval?.decisions.some(({ argumentsCanonical }) => argumentsCanonical !== null) ?? false;
  const changes = call && isEdited ? (await listChanges(db, [call], fingerprint)).get(call.id) : undefined;
  return {
    runId,
    at: new Date(run.createdAt),
    status: run.status,
    error: shown(run.error),
    call: call ? toShownCall(call, changes ?? [], unknownTimesOf(read).get(call.id)) : null,
    acts: await readPersonActs(db, read),
  };
}
