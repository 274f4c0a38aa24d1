import type { ReactNode } from "react";
import { classNames } from "./class-names";

const tones = {
  failed: "border-critical/40 bg-critical-soft",
  done: "border-ok/40 bg-ok-soft",
  note: "border-line bg-sunken",
  /** To be read before one acts. */
  careful: "border-medium/50 bg-medium-soft",
};

/** Says how an action ended, or what to know first. Failures interrupt a screen reader; other notices wait. */
export function Notice({
  tone,
  title,
  children,
  className,
}: {
  tone: keyof typeof tones;
  title: ReactNode;
  children?: ReactNode;
  className?: string;
}) {
  return (
    <div
      role={tone === "failed" ? "alert" : tone === "done" ? "status" : undefined}
      className={classNames("grid gap-1 rounded-lg border px-3.5 py-2.5", tones[tone], className)}
    >
      <p className={classNames("font-medium", tone === "failed" && "text-critical", tone === "done" && "text-ok")}>
        {title}
      </p>
      {children ? <div className="grid gap-1 text-sm text-ink-2">{children}</div> : null}
    </div>
  );
}
