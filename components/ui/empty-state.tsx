import type { ReactNode } from "react";

interface Props {
  title: string;
  /** What would be here, in one or two sentences. */
  children: ReactNode;
  /** How to get there: commands to copy, links. */
  next?: ReactNode;
}

export function EmptyState({ title, children, next }: Props) {
  return (
    <div className="mx-auto grid w-full max-w-140 gap-6 px-5 py-14 tablet:py-20">
      <div className="grid gap-2">
        <h2 className="text-xl font-semibold tracking-[-0.015em] text-balance">{title}</h2>
        <div className="grid gap-2 text-ink-2 text-pretty">{children}</div>
      </div>
      {next ? <div className="grid gap-4">{next}</div> : null}
    </div>
  );
}
