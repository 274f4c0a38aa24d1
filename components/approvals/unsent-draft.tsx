import { CopyButton } from "@/components/ui/copy-button";
import { Notice } from "@/components/ui/notice";
import type { ArgumentEdit } from "./decision";
import type { EditDrafts } from "./edit-form";

/** What was written and not sent. Leaving a form keeps it, for as long as the card is there. */
export interface Drafts {
  comment: string;
  /** Whether the comment goes along with an approval. */
  hasComment: boolean;
  reason: string;
  note: string;
  /** With the digest of the arguments that it changes, and in words what it makes of them. */
  edit: { of: string; fields: EditDrafts; words: string } | null;
}

export const NOTHING_WRITTEN: Drafts = { comment: "", hasComment: false, reason: "", note: "", edit: null };

export function describeEdits(edits: readonly ArgumentEdit[]): string {
  return edits.map((edit) => `${edit.name}: ${"value" in edit ? JSON.stringify(edit.value) : "taken out"}`).join("\n");
}

/** Where somebody else's decision took the form away: the words are still there, to be copied. */
export function UnsentDraft({ drafts: { reason, note, comment, edit } }: { drafts: Drafts }) {
  const text = [reason, note, comment, edit?.words ?? ""].map((words) => words.trim()).filter((words) => words !== "").join("\n\n");
  if (text === "") return null;
  return (
    <Notice tone="careful" title="It no longer waits for you, so this was not sent. You had written:">
      <p className="max-h-40 overflow-y-auto whitespace-pre-wrap wrap-anywhere text-ink" tabIndex={0}>
        {text}
      </p>
      <div>
        <CopyButton text={text} what="what you had written" labelled />
      </div>
    </Notice>
  );
}
