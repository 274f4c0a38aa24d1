import { showInvisible } from "@/lib/text/tool-text";

/**
 * Untrusted text as one terminal line: control and invisible characters, line breaks too, are written as their numbers.
 */
export const plainLine = (text: string): string =>
  showInvisible(text).replaceAll("\n", "⟨U+000A⟩").replaceAll("\t", "⟨U+0009⟩");
