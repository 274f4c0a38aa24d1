import { CopyButton } from "./copy-button";

/** A value that is shown this once. */
export function SecretOnce({ what, value, children }: { what: string; value: string; children: string }) {
  return (
    <div className="grid gap-2">
      <p className="text-ink-2">{children}</p>
      <div className="flex items-start gap-2 rounded-lg border border-dashed border-edge bg-sunken py-2 pr-2 pl-3.5">
        <code data-testid="secret" className="min-w-0 flex-1 self-center wrap-anywhere select-all">
          {value}
        </code>
        <CopyButton text={value} what={what} labelled />
      </div>
    </div>
  );
}
