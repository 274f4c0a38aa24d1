import { mapText, showInvisible } from "@/lib/text/tool-text";

/** A stored value for people's eyes: every character in it that cannot be seen is written out, in names too. */
export const shown = <T>(value: T): T => mapText(value, showInvisible) as T;
