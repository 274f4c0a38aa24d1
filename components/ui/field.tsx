import type { ComponentProps, ReactNode } from "react";
import { ChevronDown } from "lucide-react";
import { classNames } from "./class-names";

export const controlClass =
  "w-full rounded-md border border-edge focus-visible:-outline-offset-1 bg-panel px-3 text-ink h-9 min-w-0 max-tablet:h-11 max-tablet:text-[16px] aria-invalid:border-critical disabled:bg-sunken disabled:text-ink-2";

interface FrameProps {
  id: string;
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  className?: string;
}

/** Label above, then the control, then what helps; the error takes the hint's place and is tied to the control. */
export function FieldFrame({ id, label, hint, error, className, children }: FrameProps & { children: ReactNode }) {
  return (
    <div className={classNames("grid min-w-0 content-start gap-1.5", className)}>
      <label htmlFor={id} className="text-sm font-medium text-ink-2">
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-note`} className="text-sm text-critical first-letter:uppercase">
          {error}
        </p>
      ) : hint ? (
        <p id={`${id}-note`} className="text-sm text-ink-3">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

/** What ties a control to the note below it. */
export function describeControl({ id, hint, error }: FrameProps) {
  return {
    "aria-invalid": error ? true : undefined,
    "aria-describedby": hint || error ? `${id}-note` : undefined,
  } as const;
}

export function TextField({
  label,
  hint,
  error,
  className,
  ...input
}: FrameProps & Omit<ComponentProps<"input">, "id" | "className">) {
  const frame = { id: input.id, label, hint, error, className };
  return (
    <FieldFrame {...frame}>
      <input {...input} {...describeControl(frame)} className={controlClass} />
    </FieldFrame>
  );
}

export interface Choice {
  value: string;
  label: string;
}

export function SelectField({
  label,
  hint,
  error,
  className,
  choices,
  ...select
}: FrameProps & { choices: readonly Choice[] } & Omit<ComponentProps<"select">, "id" | "className">) {
  const frame = { id: select.id, label, hint, error, className };
  return (
    <FieldFrame {...frame}>
      <Select {...select} {...describeControl(frame)} choices={choices} />
    </FieldFrame>
  );
}

/** The browser's own list: the best one on a phone, for screen readers, and without scripts. */
export function Select({ choices, className, ...select }: ComponentProps<"select"> & { choices: readonly Choice[] }) {
  return (
    <span className="relative grid w-full">
      <select {...select} className={classNames(controlClass, "peer appearance-none pr-8", className)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-ink-3"
      />
    </span>
  );
}

export function CheckField({
  label,
  hint,
  ...input
}: { label: ReactNode; hint?: ReactNode } & Omit<ComponentProps<"input">, "type" | "className">) {
  return (
    <label className="flex items-start gap-2.5 rounded-md px-2 py-1.5 -mx-2 hover:bg-sunken has-focus-visible:bg-sunken">
      <input type="checkbox" {...input} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <span className="grid">
        <span>{label}</span>
        {hint ? <span className="text-sm text-ink-3">{hint}</span> : null}
      </span>
    </label>
  );
}
