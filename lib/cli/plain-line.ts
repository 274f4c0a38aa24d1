import { showInvisible } from "@/lib/text/tool-text";

/**
 * Text of strangers as one line of a terminal: what a terminal would obey, or a reader not see, is written as its
 * number, line breaks too.
 */
export const plainLine = (text: string): string =>
  showInvisible(text).replaceAll("\n", "⟨U+000A⟩").replaceAll("\t", "⟨U+0009⟩");
