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
} as const;

export type IdKind = keyof typeof PREFIX;

/** Random bytes are drawn many at a time: one draw for each of sixteen characters is most of the time that an id takes. */
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

/** True for a string of this kind's form; says nothing about whether the thing exists. */
export function isId(kind: IdKind, value: string): boolean {
  return new RegExp(`^${PREFIX[kind]}_[0-9a-hjkmnp-tv-z]{26}$`).test(value);
}
