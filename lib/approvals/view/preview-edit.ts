import { showInvisible } from "@/lib/text/tool-text";
import { chooseConfirmWord } from "@/lib/approvals/view/confirm-word";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { printShown, redactionOf, showArguments } from "@/lib/approvals/view/show-arguments";

export interface EditPreview {
  /**
   * What would be sent differently than proposed, as JSON with hidden characters escaped; null where it is not sent.
   */
  rows: { name: string; was: string | null; becomes: string | null }[];
  /** What is typed before the changed call is approved: a value that it will actually have. */
  confirmWord: string | null;
}

/** Previews a reviewer's changes. `edited` are the changed arguments, redacted. */
export function previewEdit(
  { tool, danger, edit }: Pick<ApprovalCard, "tool" | "danger" | "edit">,
  edited: Record<string, unknown>,
): EditPreview {
  const proposed = Object.entries((edit?.arguments ?? {}) as Record<string, unknown>);
  const [before, after] = [new Map(proposed), new Map(Object.entries(edited))];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const rows = names
    .map((name) => ({ name: showInvisible(name), was: print(before, name), becomes: print(after, name) }))
    .filter(({ was, becomes }) => was !== becomes);
  const required = edit?.schema?.required;
  const shown = showArguments(edited, Array.isArray(required) ? required.map(String) : []);
  return { rows, confirmWord: danger === "critical" ? chooseConfirmWord(tool, shown) : null };
}

function print(values: ReadonlyMap<string, unknown>, name: string): string | null {
  if (!values.has(name)) return null;
  const value = values.get(name);
  const redaction = redactionOf(value);
  return redaction
    ? printShown({ ...redaction, kind: "redacted", what: redaction.kind })
    : showInvisible(JSON.stringify(value));
}
