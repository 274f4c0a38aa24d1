import { mapText, showInvisible } from "@/lib/text/tool-text";

/** A stored value for display: every invisible character in it is written out, in names too. */
export const shown = <T>(value: T): T => mapText(value, showInvisible) as T;
