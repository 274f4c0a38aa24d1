import type { ReactNode } from "react";

/** A part of a settings page: what it is about at the left, its controls at the right, a hairline between parts. */
export function Section({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  return (
    <section className="grid gap-4 border-b border-line px-4 py-6 last:border-b-0 tablet:px-6 wide:grid-cols-[260px_minmax(0,1fr)] wide:gap-10">
      <div className="grid content-start gap-1">
        <h2 className="font-semibold">{title}</h2>
        {about ? <div className="text-sm text-ink-2 text-pretty">{about}</div> : null}
      </div>
      <div className="grid max-w-140 content-start gap-4">{children}</div>
    </section>
  );
}
