import type { ComponentProps } from "react";
import { classNames } from "@/components/ui/class-names";
import { controlClass } from "@/components/ui/field";

interface Props extends Omit<ComponentProps<"textarea">, "className"> {
  id: string;
  label: string;
  hint?: string;
  error?: string;
  mono?: boolean;
}

/** A text of several lines, with its label above and what helps, or what is wrong, below. */
export function TextArea({ label, hint, error, mono = false, rows = 3, ...area }: Props) {
  const note = error ?? hint;
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <label htmlFor={area.id} className="text-sm font-medium text-ink-2">
        {label}
      </label>
      <textarea
        rows={rows}
        {...area}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${area.id}-note` : undefined}
        className={classNames(controlClass, "h-auto py-2 max-tablet:h-auto", mono && "font-mono text-[12.5px]")}
      />
      {note ? (
        <p id={`${area.id}-note`} className={classNames("text-sm", error ? "text-critical" : "text-ink-3")}>
          {note}
        </p>
      ) : null}
    </div>
  );
}
