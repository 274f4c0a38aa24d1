import type { ShownArgument, ShownValue } from "@/lib/approvals/view/show-arguments";

/** Longer texts are folded, with their length; opened, they stand there in full. */
const TEXT_LENGTH_MAX = 600;
/** A list of so many is whole however long it is. */
const ITEMS_MAX = 8;
/** Those below are behind one more press. */
const ROWS_MAX = 40;

/** What of an argument a card shows only when it is asked to. */
export interface Folds {
  /** Of its value stands there only how it begins. */
  isLong: boolean;
  /** It stands below those that are shown at first. */
  isBelow: boolean;
}

export function foldArguments<T extends ShownArgument>(shown: readonly T[]): (T & Folds)[] {
  return shown.map((argument, place) => ({ ...argument, isLong: isLong(argument.value), isBelow: place >= ROWS_MAX }));
}

export const isFolded = ({ isLong, isBelow }: Folds): boolean => isLong || isBelow;

function isLong(value: ShownValue): boolean {
  if (value.kind === "text") return value.text.length > TEXT_LENGTH_MAX;
  return value.kind === "list" && value.items.length > ITEMS_MAX && value.items.join(", ").length > TEXT_LENGTH_MAX;
}
