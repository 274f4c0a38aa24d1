/** What is wrong with one row of the audit trail, given the row before it. Pure: the rows come from the store. */
import { anchorHash } from "@/lib/domain/audit-anchor";
import { type AuditKey, checkSeal, eventHash } from "@/lib/domain/audit-event";

export interface StoredEvent {
  id: string;
  chainId: string;
  seq: number;
  type: string;
  at: Date;
  actorKind: string;
  actorId: string;
  actorName: string;
  body: string;
  mac: string;
  prevHash: string;
  hash: string;
}

export interface StoredAnchor {
  seq: number;
  body: string;
  mac: string;
  prevHash: string;
  hash: string;
  fromTx: bigint;
  toTx: bigint;
  events: number;
}

type Before = { seq: number; hash: string };
const START: Before = { seq: 0, hash: "" };

export function eventProblem(event: StoredEvent, before: Before = START, keys: AuditKey[]): string | null {
  const gap = placeProblem(event, before, "event");
  if (gap) return gap;
  if (eventHash(event) !== event.hash) return "its content was changed: the hash does not fit";
  return sealProblem(event.body, event.mac, keys) ?? columnProblem(event);
}

export function anchorProblem(anchor: StoredAnchor, before: Before = START, keys: AuditKey[]): string | null {
  const gap = placeProblem(anchor, before, "anchor");
  if (gap) return gap;
  if (anchorHash(anchor.body, anchor.mac) !== anchor.hash) return "its content was changed: the hash does not fit";
  const seal = sealProblem(anchor.body, anchor.mac, keys);
  if (seal) return seal;
  const body = JSON.parse(anchor.body) as Record<string, unknown>;
  const columns = { seq: anchor.seq, prev: anchor.prevHash, events: anchor.events, from_tx: String(anchor.fromTx), to_tx: String(anchor.toTx) };
  return differing(columns, body);
}

function placeProblem(row: { seq: number; prevHash: string }, before: Before, what: string): string | null {
  if (row.seq !== before.seq + 1) {
    const missing = before.seq + 1 === row.seq - 1 ? `${what} ${before.seq + 1} is` : `${what}s ${before.seq + 1} to ${row.seq - 1} are`;
    return `${missing} missing before it`;
  }
  if (row.prevHash !== before.hash) return `it does not follow the ${what} before it: one of the two was replaced`;
  return null;
}

function sealProblem(body: string, mac: string, keys: AuditKey[]): string | null {
  switch (checkSeal(body, mac, keys)) {
    case "good":
      return null;
    case "forged":
      return "its seal is not Kimitsu's: the row was written by hand";
    case "unknown_key":
      return "its seal was made with a key that is not known here: written by hand, or AUTH_SECRET was replaced (give the old one as AUTH_SECRET_1)";
  }
}

function columnProblem(event: StoredEvent): string | null {
  const body = JSON.parse(event.body) as { actor: { kind: string; id: string; name: string } } & Record<string, unknown>;
  const columns = {
    id: event.id,
    chain: event.chainId,
    type: event.type,
    at: event.at.toISOString(),
    actor_kind: event.actorKind,
    actor_id: event.actorId,
    actor_name: event.actorName,
  };
  return differing(columns, { ...body, actor_kind: body.actor.kind, actor_id: body.actor.id, actor_name: body.actor.name });
}

function differing(columns: Record<string, unknown>, body: Record<string, unknown>): string | null {
  const column = Object.keys(columns).find((name) => columns[name] !== body[name]);
  return column ? `its column ${column} was changed: the sealed event says ${JSON.stringify(body[column])}` : null;
}
