import type { ShownArgument } from "@/lib/approvals/view/show-arguments";

const LENGTH_MIN = 2;
const LENGTH_MAX = 40;

/**
 * What a person types before a critical call is approved: the first argument that is short and has only characters
 * found on every keyboard, so that people type a value they have read. Without one it is the tool's name.
 */
export function chooseConfirmWord(tool: string, shown: readonly ShownArgument[]): string {
  for (const { value } of shown) {
    if (value.kind !== "text" && value.kind !== "plain") continue;
    if (
      value.text.length < LENGTH_MIN ||
      value.text.length > LENGTH_MAX ||
      !/^[\x21-\x7E]+( [\x21-\x7E]+)*$/.test(value.text)
    )
      continue;
    if (value.kind === "plain" && !/\d/.test(value.text)) continue;
    return value.text;
  }
  return tool;
}
