import { clsx, type ClassValue } from "clsx";
import { twMerge } from "tailwind-merge";

/** Joins classes; of two that set the same property the later one wins, so a caller can adjust a primitive. */
export function classNames(...values: ClassValue[]): string {
  return twMerge(clsx(values));
}
