import { classNames } from "@/components/ui/class-names";

interface Redacted {
  kind: string;
  length: number;
  fingerprint: string;
}

/** Longer texts are folded, with their length; everything can be opened, nothing is cut. */
const FOLD_FROM = 1_600;

/**
 * A value as it is kept: objects by field, the rest as JSON. What was redacted still shows its kind, its length and its
 * fingerprint.
 */
export function ValueView({ value, className }: { value: unknown; className?: string }) {
  if (value === null || typeof value !== "object" || Array.isArray(value) || readRedacted(value)) {
    return (
      <div className={classNames("rounded-lg border border-line bg-panel px-3.5 py-2", className)}>
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className={classNames("text-sm text-ink-3", className)}>nothing</p>;
  return (
    <dl className={classNames("rounded-lg border border-line bg-panel", className)}>
      {entries.map(([name, field]) => (
        <div
          key={name}
          className="grid gap-x-4 border-b border-line px-3.5 py-2 last:border-b-0 tablet:grid-cols-[minmax(110px,0.3fr)_minmax(0,1fr)]"
        >
          <dt>
            <code className="text-ink-3 wrap-anywhere">{name}</code>
          </dt>
          <dd className="min-w-0">
            <Leaf value={field} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Leaf({ value }: { value: unknown }) {
  const redacted = readRedacted(value);
  if (redacted) return <RedactedChip redacted={redacted} />;
  const text = typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value, nameRedacted, 2);
  return <FoldedText text={text ?? "undefined"} mono />;
}

export function RedactedChip({ redacted }: { redacted: Redacted }) {
  const kind = redacted.kind === "secret" || redacted.kind === "string" ? "secret" : `secret ${redacted.kind}`;
  return (
    <code className="inline-block rounded-[4px] border border-dashed border-edge bg-sunken px-2 text-ink-2 wrap-anywhere">
      {kind}
      {redacted.length > 0 ? ` · ${redacted.length} characters` : ""} · {redacted.fingerprint}
    </code>
  );
}

/** Text with its line breaks; from a certain length on it is folded and says how long it is. */
export function FoldedText({ text, mono = false }: { text: string; mono?: boolean }) {
  const body = mono ? (
    <code className="block whitespace-pre-wrap wrap-anywhere">{text}</code>
  ) : (
    <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
  );
  if (text.length <= FOLD_FROM) return body;
  return (
    <details className="group/fold">
      <summary className="grid gap-1">
        <span className="line-clamp-3 group-open/fold:hidden">
          {mono ? <code className="whitespace-pre-wrap wrap-anywhere">{text.slice(0, 400)}</code> : text.slice(0, 400)}
        </span>
        <span className="text-sm text-accent underline underline-offset-3">
          <span className="group-open/fold:hidden">Show all {text.length.toLocaleString("en")} characters</span>
          <span className="hidden group-open/fold:inline">Fold {text.length.toLocaleString("en")} characters</span>
        </span>
      </summary>
      {body}
    </details>
  );
}

/** As the page shows it, for copying. */
export function printValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, nameRedacted, 2) ?? "");
}

function readRedacted(value: unknown): Redacted | null {
  if (value === null || typeof value !== "object") return null;
  const { $redacted: inner } = value as { $redacted?: Partial<Redacted> };
  if (
    !inner ||
    typeof inner.kind !== "string" ||
    typeof inner.length !== "number" ||
    typeof inner.fingerprint !== "string"
  )
    return null;
  return { kind: inner.kind, length: inner.length, fingerprint: inner.fingerprint };
}

function nameRedacted(_key: string, value: unknown): unknown {
  const redacted = readRedacted(value);
  return redacted
    ? `[secret, ${redacted.length > 0 ? `${redacted.length} characters, ` : ""}${redacted.fingerprint}]`
    : value;
}
