import { outcomeLook } from "./verdict-fill";

const WIDTH = 96;

/** How much of what people decided was approved, as a number and a bar; the hatched rest was rejected. */
export function ApprovalShare({ approved, rejected }: { approved: number; rejected: number }) {
  const decided = approved + rejected;
  if (decided === 0) return <span className="text-ink-3">nobody decided</span>;
  const width = (WIDTH * approved) / decided;
  return (
    <span className="inline-flex items-center gap-3 whitespace-nowrap tabular-nums">
      <span className="w-10 text-right">{describeShare(approved, decided)}</span>
      <svg aria-hidden width={WIDTH} height="9" className="max-tablet:hidden">
        <rect x="0.5" y="0.5" width={WIDTH - 1} height="8" rx="1.5" {...outcomeLook("rejected")} />
        {approved > 0 ? (
          <rect x="0.5" y="0.5" width={Math.max(width - 1, 1)} height="8" rx="1.5" {...outcomeLook("approved")} />
        ) : null}
      </svg>
    </span>
  );
}

/** Never rounded to all or nothing: 999 of 1,000 is not 100 %. */
export function describeShare(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  if (percent > 99 && part < whole) return "> 99 %";
  if (percent < 1 && part > 0) return "< 1 %";
  return `${Math.round(percent)} %`;
}

/** A length beside a number, of the largest in its column. */
export function AmountBar({ amount, largest }: { amount: number; largest: number }) {
  const width = largest > 0 ? (WIDTH * amount) / largest : 0;
  return (
    <svg aria-hidden width={WIDTH} height="9" className="inline-block max-tablet:hidden">
      <line x1="0" x2={WIDTH} y1="4.5" y2="4.5" className="stroke-line" />
      {width > 0 ? <rect x="0" y="0" width={Math.max(width, 1.5)} height="9" rx="1.5" className="fill-ink-2" /> : null}
    </svg>
  );
}
