import type { ReactNode } from "react";

/** The 52 px bar at the head of every page: its title, what counts, and on the right what can be done. */
export function PageBar({ title, count, children }: { title: string; count?: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex h-13 shrink-0 items-center gap-2.5 border-b border-line bg-paper px-4 tablet:px-6">
      <h1 className="text-lg font-semibold">{title}</h1>
      {count === undefined ? null : <span className="text-ink-3 tabular-nums">{count}</span>}
      {children ? <div className="ml-auto flex items-center gap-2">{children}</div> : null}
    </header>
  );
}
