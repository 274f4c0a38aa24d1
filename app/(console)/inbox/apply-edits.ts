import type { ArgumentEdit } from "@/components/approvals/decide/decision";

/**
 * The arguments with a reviewer's changes. They start from what is stored and not from what the browser shows, so
 * hidden values stay hidden and unchanged.
 */
export function applyEdits(canonical: string, edits: readonly ArgumentEdit[]): Record<string, unknown> {
  const args = new Map(Object.entries(JSON.parse(canonical) as Record<string, unknown>));
  for (const edit of edits) {
    if ("value" in edit) args.set(edit.name, edit.value);
    else args.delete(edit.name);
  }
  return Object.fromEntries(args);
}
