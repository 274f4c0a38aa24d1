import type { ShownArgument, ShownValue } from "@/lib/approvals/view/show-arguments";

/** Longer texts are folded, with their length; unfolded, they are shown in full. */
const TEXT_LENGTH_MAX = 600;
/** A list of up to this many items is never folded, however long it is. */
const ITEMS_MAX = 8;
/** Arguments after these are shown after one more click. */
const ROWS_MAX = 40;

/** Which part of an argument a card shows only on demand. */
export interface Folds {
  /** Only the beginning of its value is shown. */
  isLong: boolean;
  /** It comes after the arguments that are shown at first. */
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
