import Link from "next/link";
import { describeNumber } from "@/components/runs/describe-figures";
import { addressWith } from "../search-params";
import { linkClass } from "./addresses";
import type { Period } from "./period";

/** Under a table that shows only its first rows. */
export function MoreRows({
  shown,
  total,
  things,
  period,
}: {
  shown: number;
  total: number;
  things: string;
  period: Period;
}) {
  if (total <= shown) return null;
  const days = period.choice ? { days: period.choice } : { from: period.firstDay, to: period.lastDay };
  return (
    <p className="px-4 pt-3 text-sm text-ink-3 tablet:px-6">
      {describeNumber(shown)} of {describeNumber(total)} {things}.{" "}
      <Link href={addressWith("/insights", { ...days, rows: "all" })} className={linkClass}>
        Show all
      </Link>
    </p>
  );
}
