/** A state machine as data: for each status the statuses it may move to. A status without any is settled. */
export type TransitionTable<S extends string> = Readonly<Record<S, readonly S[]>>;

export function canMove<S extends string>(table: TransitionTable<S>, from: S, to: S): boolean {
  return table[from].includes(to);
}

export function isFinal<S extends string>(table: TransitionTable<S>, status: S): boolean {
  return table[status].length === 0;
}

/** The states from which this one can be reached: the guard of every transition to it. */
export function fromStates<S extends string>(table: TransitionTable<S>, to: S): S[] {
  return (Object.keys(table) as S[]).filter((from) => table[from].includes(to));
}
