"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useOptimistic, useTransition } from "react";
import { leaveFor } from "@/components/shell/leaving";
import { LinkWorking } from "@/components/shell/link-working";
import { classNames } from "@/components/ui/class-names";
import { Select } from "@/components/ui/field";
import { isOnline, tellOffline } from "@/components/ui/online";

export interface FilterChip {
  label: string;
  count: string | null;
  href: string;
  isOn: boolean;
}

export interface FilterChoice {
  name: string;
  /** Addresses by what they are called. */
  choices: readonly { label: string; href: string }[];
  current: string;
}

export function ChipLink({ chip }: { chip: FilterChip }) {
  return (
    <Link
      href={chip.href}
      aria-current={chip.isOn ? "true" : undefined}
      className={classNames("relative inline-block rounded-full border border-line-strong bg-panel px-1.75 text-sm leading-6 whitespace-nowrap text-ink-2 hover:text-ink max-tablet:px-2 max-tablet:leading-8", chip.isOn && "border-accent bg-accent-soft text-accent hover:text-accent")}
    >
      {chip.label} {chip.count === null ? null : <span className="tabular-nums">{chip.count}</span>}
      <LinkWorking className="inset-x-2.5" />
    </Link>
  );
}

/** Every filter is an address, so a view can be kept and sent. */
export function QueueFilters({ chips, selects }: { chips: readonly FilterChip[]; selects: readonly FilterChoice[] }) {
  return (
    <div className="grid gap-2 border-b border-line px-4 py-2.5">
      <nav aria-label="Filter">
        <ul className="flex flex-wrap gap-1">
          {chips.map((chip) => (
            <li key={chip.label}>
              <ChipLink chip={chip} />
            </li>
          ))}
        </ul>
      </nav>
      <div className="grid grid-cols-[minmax(0,1.2fr)_minmax(0,0.95fr)_minmax(0,1.1fr)] gap-1.5 tablet:max-wide:grid-cols-2">
        {selects.map((choice) => (
          <ChoiceSelect key={choice.name} choice={choice} />
        ))}
      </div>
    </div>
  );
}

/** Shows what was chosen at once, with a bar under it until the queue that fits is there. */
function ChoiceSelect({ choice: { name, choices, current } }: { choice: FilterChoice }) {
  const router = useRouter();
  const [isPending, start] = useTransition();
  const [shown, show] = useOptimistic(current);
  const choose = (href: string) => {
    if (!isOnline()) return tellOffline();
    leaveFor(href);
    start(() => {
      show(href);
      router.push(href);
    });
  };
  return (
    <span className="relative" aria-busy={isPending}>
      <Select
        aria-label={name}
        value={shown}
        onChange={(event) => choose(event.target.value)}
        choices={choices.map(({ label, href }) => ({ value: href, label }))}
        className="h-7.5 truncate px-2 pr-6 text-sm max-tablet:h-10"
      />
      {isPending ? <span aria-hidden className="working-bar absolute inset-x-1 bottom-0 h-0.5 rounded-full" /> : null}
    </span>
  );
}
