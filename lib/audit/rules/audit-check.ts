/** What is wrong with one row of the audit trail, given the row before it. Pure: the rows come from the database. */
import { anchorHash } from "@/lib/audit/rules/audit-anchor";
import { type AuditKey, checkSeal } from "@/lib/audit/rules/audit-event";
import { type Entry, type EntryBody, findEntryProblem, type Head } from "@/lib/runs/journal/entry";

export interface StoredAnchor {
  seq: number;
  body: string;
  mac: string;
  prevHash: string;
  hash: string;
  fromTx: bigint;
  toTx: bigint;
  rows: number;
}

type Before = { seq: number; hash: string };
const START: Before = { seq: 0, hash: "" };

const FORGED = "its seal is not Kimitsu's: its content was changed, or the row was written by hand";
const UNKNOWN_KEY =
  "its seal was made with a key that is not known here: written by hand, or AUTH_SECRET was replaced (give the old one as AUTH_SECRET_1)";
const REPLACED = "it does not follow the row before it: one of the two was replaced";

/** For a journal row that follows `head`. */
export function entryProblem(entry: Entry, head: Head, keys: readonly AuditKey[]): string | null {
  const gap = findGap(entry, head, "row");
  if (gap) return gap;
  switch (findEntryProblem(entry, head, keys)) {
    case null:
      return null;
    case "forged":
      return FORGED;
    case "unknown_key":
      return UNKNOWN_KEY;
    case "data_changed":
      return "its data was changed: the sealed row tells of other data";
    case "chain_broken":
      return REPLACED;
    case "out_of_place":
      return placeProblem(entry);
  }
}

/** The seal is valid, so the row itself says where it belongs. */
function placeProblem({ chain, seq, at, body }: Entry): string {
  const sealed = JSON.parse(body) as EntryBody;
  return differing({ chain, seq, at }, { ...sealed, seq: sealed.seq ?? seq }) ?? "it is not at its place";
}

export function anchorProblem(anchor: StoredAnchor, before: Before = START, keys: AuditKey[]): string | null {
  const gap = findGap(anchor, before, "anchor");
  if (gap) return gap;
  if (anchor.prevHash !== before.hash) return "it does not follow the anchor before it: one of the two was replaced";
  if (anchorHash(anchor.body, anchor.mac) !== anchor.hash) return "its content was changed: the hash does not fit";
  const seal = checkSeal(anchor.body, anchor.mac, keys);
  if (seal !== "good") return seal === "forged" ? FORGED : UNKNOWN_KEY;
  const body = JSON.parse(anchor.body) as Record<string, unknown>;
  const columns = {
    seq: anchor.seq,
    prev: anchor.prevHash,
    rows: anchor.rows,
    from_tx: String(anchor.fromTx),
    to_tx: String(anchor.toTx),
  };
  return differing(columns, body);
}

function findGap({ seq }: { seq: number }, before: { seq: number }, what: string): string | null {
  const first = before.seq + 1;
  if (seq === first) return null;
  if (seq < first) return `it is not at its place: ${what} ${before.seq} comes before it`;
  return seq === first + 1
    ? `${what} ${first} is missing before it`
    : `${what}s ${first} to ${seq - 1} are missing before it`;
}

/** The first column that differs from the sealed text. */
export function differing(columns: Record<string, unknown>, sealed: Record<string, unknown>): string | null {
  const column = Object.keys(columns).find((name) => columns[name] !== sealed[name]);
  return column ? `its column ${column} was changed: the sealed row says ${JSON.stringify(sealed[column])}` : null;
}
