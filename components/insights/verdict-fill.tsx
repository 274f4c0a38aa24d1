export type Outcome = "approved" | "rejected" | "expired";

export const OUTCOMES: readonly Outcome[] = ["approved", "rejected", "expired"];

const fillClass: Record<Outcome, string> = {
  approved: "fill-ink-2 stroke-ink-2",
  rejected: "stroke-ink-2",
  expired: "fill-paper stroke-ink-2",
};

/** Solid, hatched, hollow: distinguishable without colour. */
export function outcomeLook(outcome: Outcome): { className: string; fill?: string; strokeDasharray?: string } {
  return {
    className: fillClass[outcome],
    fill: outcome === "rejected" ? "url(#said-no)" : undefined,
    strokeDasharray: outcome === "expired" ? "2 2" : undefined,
  };
}

/** Once on a page that draws outcomes. */
export function OutcomePatterns() {
  return (
    <svg aria-hidden width="0" height="0" className="absolute">
      <defs>
        <pattern id="said-no" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" className="fill-paper" />
          <rect width="1.75" height="5" className="fill-ink-2" />
        </pattern>
      </defs>
    </svg>
  );
}

export function OutcomeKey({ outcome }: { outcome: Outcome }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden width="16" height="10">
        <rect x="0.75" y="0.75" width="14.5" height="8.5" rx="2" {...outcomeLook(outcome)} />
      </svg>
      {outcome}
    </span>
  );
}
