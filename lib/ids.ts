import { monotonicFactory } from "ulid";

const PREFIX = {
  run: "run",
  step: "step",
  turn: "turn",
  call: "call",
  approval: "apr",
  decision: "dec",
  event: "evt",
  user: "usr",
  group: "grp",
  token: "tok",
  notice: "ntc",
  worker: "wrk",
  request: "req",
  view: "view",
  session: "ses",
} as const;

export type IdKind = keyof typeof PREFIX;

/**
 * Random bytes are drawn many at a time: a draw for each of sixteen characters would take most of the time of making an
 * id.
 */
const randomBytes = new Uint8Array(4096);
let drawn = randomBytes.length;

function nextRandom(): number {
  if (drawn === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    drawn = 0;
  }
  return (randomBytes[drawn++] ?? 0) / 256;
}

const nextUlid = monotonicFactory(nextRandom);

/** Ids carry their kind and sort by the time they were made, so keyset pages need no second column. */
export function createId(kind: IdKind): string {
  return `${PREFIX[kind]}_${nextUlid().toLowerCase()}`;
}

/** The form of this kind's ids; says nothing about whether the thing exists. */
export function idPattern(kind: IdKind): RegExp {
  return new RegExp(`^${PREFIX[kind]}_[0-9a-hjkmnp-tv-z]{26}$`);
}

export function isId(kind: IdKind, value: string): boolean {
  return idPattern(kind).test(value);
}
