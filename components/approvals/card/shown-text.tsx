import { Fragment } from "react";

const MARKS = /(⟨U\+[0-9A-F]{4,6}⟩)/;

/** Untrusted text. Invisible characters were already replaced by their numbers; those are highlighted. */
export function ShownText({ text }: { text: string }) {
  return text.split(MARKS).map((part, index) =>
    // eslint-disable-next-line react/no-array-index-key -- parts of one text have no other name
    MARKS.test(part) ? (
      <mark key={index} className="rounded-[3px] bg-critical-soft px-0.5 font-mono text-[0.88em] text-critical">
        {part}
      </mark>
    ) : (
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
