import Link from "next/link";
import { LocalTime } from "@/components/runs/local-time";

interface Props {
  since: string;
  by: string | null;
  /** Where an admin ends it; null for everybody else. */
  endHref: string | null;
}

/** On every page while all calls are paused: a person who decides now should know that nothing is sent yet. */
export function PauseBanner({ since, by, endHref }: Props) {
  return (
    <p
      role="status"
      className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-high/45 bg-high-soft px-4 py-2 text-sm tablet:h-10 tablet:py-0 tablet:px-6 print:hidden"
    >
      <span className="min-w-0 tablet:truncate">
        <strong className="font-semibold">All calls are paused</strong> since <LocalTime at={since} />
        {by ? ` by ${by}` : ""}: nothing is sent, approved calls included.
      </span>
      {endHref ? (
        <Link href={endHref} className="shrink-0 underline underline-offset-3">
          Settings
        </Link>
      ) : null}
    </p>
  );
}
