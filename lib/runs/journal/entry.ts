/**
 * One row of a journal: what one commit did. `body` is the canonical text of its events, sealed with a key that the
 * database never sees; `data` contains the changes that a reader folds, and its hash is in the body, so the seal covers
 * both. Each row hashes the previous one. Pure.
 */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { AuditKey, EventData } from "@/lib/audit/rules/audit-event";
import { type Actor, isSystem, SYSTEM_ACTOR } from "@/lib/people/rules/actor";

export interface EntryEvent {
  id: string;
  type: string;
  /** ISO 8601. */
  at: string;
  actor: Actor;
  data: EventData;
}

export interface Entry {
  chain: string;
  seq: number;
  /** ISO 8601. */
  at: string;
  body: string;
  mac: Buffer;
  hash: Buffer;
  data: string | null;
}

/** The end of a chain, which the next row follows. */
export interface Head {
  seq: number;
  hash: Buffer;
}

export const NO_HEAD: Head = { seq: 0, hash: Buffer.alloc(0) };

/** As it is to be written: undefined values in its data are omitted. */
export type NewEntryEvent = Omit<EntryEvent, "data"> & { data: { [key: string]: EventData[string] | undefined } };

export interface EntryContent {
  chain: string;
  at: string;
  events: NewEntryEvent[];
  data: string | null;
}

export function linkEntry(head: Head, content: EntryContent, key: AuditKey): Entry {
  const { chain, at, data } = content;
  const seq = head.seq + 1;
  const body = bodyOf(content, { seq, key: key.id });
  const mac = macOf(body, key);
  return { chain, seq, at, body, mac, hash: hashOf(head.hash, mac, body), data };
}

/**
 * For a chain whose positions the database assigns, under a lock: `seq` is not in the body, only in the hash of the
 * next row.
 */
export function sealEntry(content: EntryContent, key: AuditKey): Pick<Entry, "body" | "mac"> {
  const body = bodyOf(content, { key: key.id });
  return { body, mac: macOf(body, key) };
}

/** Canonical JSON (RFC 8785): names are already in order here, and numbers and text are written as JSON writes them. */
function bodyOf({ chain, at, events, data }: EntryContent, place: { seq?: number; key: string }): string {
  const text = JSON.stringify({
    at,
    chain,
    data: data === null ? null : sha256(data),
    events: events.map((event) => ({
      ...(isSystem(event.actor) ? {} : { actor: inOrder(event.actor) }),
      ...(event.at === at ? {} : { at: event.at }),
      data: inOrder(event.data),
      id: event.id,
      type: event.type,
    })),
    key: place.key,
    ...(place.seq === undefined ? {} : { seq: place.seq }),
  });
  if (text.includes("\\ud") && HALF_PAIR.test(text)) {
    throw new Error(`unreachable: half of a surrogate pair in an event of ${chain}`);
  }
  return text;
}

/** The same value with the names of each object in the order of canonical JSON. Names are our own, and never numbers. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, inOrder((value as Record<string, unknown>)[name])]));
}

/** JSON writes half a surrogate pair as an escape, and Postgres could not read a body with one. */
const HALF_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

export type EntryProblem = "unknown_key" | "forged" | "data_changed" | "out_of_place" | "chain_broken";

/** What is wrong with a row that follows `head`; null when nothing is. */
export function findEntryProblem(entry: Entry, head: Head | null, keys: readonly AuditKey[]): EntryProblem | null {
  const body = parseBody(entry.body);
  const key = keys.find(({ id }) => id === body?.key);
  if (!body || !key) return body ? "unknown_key" : "forged";
  const expected = macOf(entry.body, key);
  if (expected.length !== entry.mac.length || !timingSafeEqual(expected, entry.mac)) return "forged";
  if (body.data !== (entry.data === null ? null : sha256(entry.data))) return "data_changed";
  if (body.chain !== entry.chain || (body.seq ?? entry.seq) !== entry.seq || body.at !== entry.at)
    return "out_of_place";
  if (head === null) return null;
  if (entry.seq !== head.seq + 1) return "out_of_place";
  return hashOf(head.hash, entry.mac, entry.body).equals(entry.hash) ? null : "chain_broken";
}

export interface EntryBody {
  chain: string;
  seq?: number;
  at: string;
  key: string;
  data: string | null;
  events: (Omit<EntryEvent, "at" | "actor"> & Partial<Pick<EntryEvent, "at" | "actor">>)[];
}

/** Fills in what a body omits: the time of the row, and Kimitsu itself as the actor. */
export function eventsOfBody(text: string): EntryEvent[] {
  const { at, events } = JSON.parse(text) as EntryBody;
  return events.map((event) => ({ ...event, at: event.at ?? at, actor: event.actor ?? { ...SYSTEM_ACTOR } }));
}

function parseBody(text: string): EntryBody | null {
  try {
    return JSON.parse(text) as EntryBody;
  } catch {
    return null;
  }
}

const macOf = (body: string, key: AuditKey): Buffer => createHmac("sha256", key.secret).update(body).digest();
const sha256 = (text: string): string => hash("sha256", text);
const hashOf = (before: Buffer, mac: Buffer, body: string): Buffer =>
  hash("sha256", Buffer.concat([before, mac, Buffer.from(body)]), "buffer");
