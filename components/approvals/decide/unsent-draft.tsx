import { CopyButton } from "@/components/ui/copy-button";
import { Notice } from "@/components/ui/notice";
import type { ArgumentEdit } from "./decision";
import type { EditDrafts } from "@/components/approvals/edit/edit-form";
import { joinNames } from "@/components/approvals/card/join-names";
import { NO_WORDS, type Words } from "./kept-words";

/**
 * Unsent text. Leaving a form keeps it; changed arguments are lost with the card, text only with the tab or the call.
 */
export interface Drafts extends Words {
  /** With the digest of the arguments that it changes, and in words what it makes of them. */
  edit: { of: string; fields: EditDrafts; words: string } | null;
}

export const NOTHING_WRITTEN: Drafts = { ...NO_WORDS, edit: null };

export function describeEdits(edits: readonly ArgumentEdit[]): string {
  return edits.map((edit) => `${edit.name}: ${"value" in edit ? JSON.stringify(edit.value) : "taken out"}`).join("\n");
}

/** When another person's decision closed the form: the text is still shown, to be copied. */
export function UnsentDraft({ drafts: { reason, note, comment, edit } }: { drafts: Drafts }) {
  const text = [reason, note, comment, edit?.words ?? ""]
    .map((words) => words.trim())
    .filter((words) => words !== "")
    .join("\n\n");
  return text === "" ? null : (
    <UnsentText title="It no longer waits for you, so this was not sent. You had written:" text={text} />
  );
}

export function UnsentText({ title, text }: { title: string; text: string }) {
  return (
    <Notice tone="careful" title={title}>
      <p className="max-h-40 overflow-y-auto whitespace-pre-wrap wrap-anywhere text-ink" tabIndex={0}>
        {text}
      </p>
      <div>
        <CopyButton text={text} what="what you had written" labelled />
      </div>
    </Notice>
  );
}

/** Beside the buttons: the unsent text that one of them would restore. */
export function WrittenNote({ drafts: { reason, note, edit } }: { drafts: Drafts }) {
  const written = [
    ...(reason.trim() === "" ? [] : ["a reason"]),
    ...(edit === null || edit.words === "" ? [] : ["changes"]),
    ...(note.trim() === "" ? [] : ["a note"]),
  ];
  if (written.length === 0) return null;
  return <p className="text-sm text-ink-2">Written and not sent: {joinNames(written)}.</p>;
}
