import { CopyButton } from "./copy-button";

/** A command line with a button that copies it; long ones wrap, nothing is hidden. */
export function Command({ text, says }: { text: string; says?: string }) {
  return (
    <div className="grid gap-1.5">
      {says ? <p className="text-sm text-ink-2">{says}</p> : null}
      <div className="flex items-start gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3.5">
        <code className="min-w-0 flex-1 self-center py-1 wrap-anywhere whitespace-pre-wrap">{text}</code>
        <CopyButton text={text} what="command" />
      </div>
    </div>
  );
}
