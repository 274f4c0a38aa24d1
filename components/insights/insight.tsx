import type { ReactNode } from "react";
import { ChevronRight } from "lucide-react";
import { classNames } from "@/components/ui/class-names";

interface Props {
  id: string;
  title: string;
  says: ReactNode;
  /** Beside another one: their drawings begin at the same height, however long the sentences are. */
  isHalf?: boolean;
  children?: ReactNode;
}

/** One question that the page answers: its name, a sentence that says what the figures show, and the figures. */
export function Insight({ id, title, says, isHalf = false, children }: Props) {
  return (
    <section
      aria-labelledby={id}
      className={classNames(
        "border-b border-line py-5",
        isHalf
          ? "wide:row-span-2 wide:grid wide:grid-rows-subgrid wide:content-start wide:border-b-0"
          : "last:border-b-0",
      )}
    >
      <header className="grid content-start gap-0.5 px-4 pb-3 tablet:px-6">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        <p className="max-w-180 text-ink-2 text-pretty">{says}</p>
      </header>
      {isHalf ? <div>{children}</div> : children}
    </section>
  );
}

/** The figures of a chart, as a table. */
export function AsTable({ children }: { children: ReactNode }) {
  return (
    <details className="group mt-3">
      <summary className="flex w-fit items-center gap-1.5 px-4 py-1 text-sm text-ink-2 hover:text-ink tablet:px-6">
        <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
        As a table
      </summary>
      <div className="pt-1">{children}</div>
    </details>
  );
}

/** The few figures that summarise it. */
export function KeyFigures({ figures }: { figures: readonly { name: string; value: string; more: string }[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 border-b border-line px-4 py-4 tablet:grid-cols-3 tablet:px-6 wide:grid-cols-6">
      {figures.map(({ name, value, more }) => (
        <div key={name} className="grid content-start">
          <dt className="text-sm text-ink-3">{name}</dt>
          <dd className="grid">
            <span className="text-xl font-semibold tracking-[-0.015em] tabular-nums">{value}</span>
            <span className="text-sm text-ink-2">{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
