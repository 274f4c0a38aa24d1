/** The months by which the journal is partitioned, in UTC. Pure. */

export interface JournalMonth {
  /** Name of the partition: `journal_2026_01`. */
  name: string;
  from: Date;
  /** The first moment after it. */
  to: Date;
}

/** The month of `at`, or the one this many months later. */
export function monthOf(at: Date, later = 0): JournalMonth {
  const from = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later, 1));
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
  return { name: `journal_${from.toISOString().slice(0, 7).replace("-", "_")}`, from, to };
}

/** Null for a name that is not a month's, such as that of the partition for all other times. */
export function readMonth(name: string): JournalMonth | null {
  const match = /^journal_(\d{4})_(0[1-9]|1[0-2])$/.exec(name);
  return match ? monthOf(new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, 1))) : null;
}
