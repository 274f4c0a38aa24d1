import Link from "next/link";
import { LinkWorking } from "@/components/shell/link-working";
import { Button } from "@/components/ui/button";
import { controlClass } from "@/components/ui/field";
import { longDay } from "./day-name";
import { type Period, PERIODS } from "./period";

/** A plain form and links that change the address, so that a view can be shared as a link. */
export function PeriodPicker({ period, zone }: { period: Period; zone: string }) {
  return (
    <div className="flex flex-wrap items-end gap-x-6 gap-y-3 border-b border-line px-4 py-3 tablet:px-6">
      <nav aria-label="Period" className="max-tablet:w-full">
        <ul className="grid grid-cols-3 gap-1 rounded-lg border border-line bg-sunken p-1">
          {PERIODS.map((days) => (
            <li key={days}>
              <Link
                href={`/insights?days=${days}`}
                aria-current={period.choice === days ? "page" : undefined}
                className="relative flex h-7 items-center justify-center rounded-sm px-3 text-ink-2 hover:text-ink aria-[current=page]:bg-panel aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:shadow-rest max-tablet:h-10"
              >
                {days} days
                <LinkWorking />
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <form
        role="search"
        aria-label="Choose days"
        className="flex flex-wrap items-center gap-2 max-tablet:grid max-tablet:w-full max-tablet:grid-cols-2"
      >
        {/* Keyed by the value, because a browser keeps what was typed when only the address changes. */}
        <input
          key={period.firstDay}
          type="date"
          name="from"
          aria-label="First day"
          required
          defaultValue={period.firstDay}
          className={`${controlClass} tablet:w-36`}
        />
        <span aria-hidden className="text-ink-3 max-tablet:hidden">
          –
        </span>
        <input
          key={`to ${period.lastDay}`}
          type="date"
          name="to"
          aria-label="Last day"
          required
          defaultValue={period.lastDay}
          className={`${controlClass} tablet:w-36`}
        />
        <Button type="submit" className="max-tablet:col-span-2">
          Show
        </Button>
      </form>
      <p className="text-sm text-ink-3 tablet:ml-auto tablet:self-center">
        {longDay(period.firstDay)} to {longDay(period.lastDay)}, days in {zone.replaceAll("_", " ")}
      </p>
    </div>
  );
}
