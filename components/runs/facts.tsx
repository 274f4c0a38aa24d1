import type { ReactNode } from "react";

/** Facts side by side, each a small word above its value; they wrap where there is no room. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex flex-wrap gap-x-8 gap-y-3">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start">
      <dt className="text-sm text-ink-3">{name}</dt>
      <dd className="min-w-0 tabular-nums wrap-anywhere">{children}</dd>
    </div>
  );
}
