"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useOptimistic, useState, useTransition } from "react";
import { leaveFor } from "@/components/shell/leaving";
import { LinkWorking } from "@/components/shell/link-working";
import { classNames } from "@/components/ui/class-names";
import { controlClass, Select } from "@/components/ui/field";
import { isComposing } from "@/components/ui/is-composing";
import { canLeave } from "@/components/ui/online";

export interface FilterChip {
  label: string;
  count: string | null;
  href: string;
  isOn: boolean;
}

export interface FilterChoice {
  name: string;
  /** Addresses by their labels. */
  choices: readonly { label: string; href: string }[];
  current: string;
}

export function ChipLink({ chip }: { chip: FilterChip }) {
  return (
    <Link
      href={chip.href}
      prefetch={false}
      aria-current={chip.isOn ? "true" : undefined}
      className={classNames(
        "relative inline-block rounded-full border border-line-strong bg-panel px-1.75 text-sm leading-6 whitespace-nowrap text-ink-2 hover:text-ink max-tablet:px-2 max-tablet:leading-8",
        chip.isOn && "border-accent bg-accent-soft text-accent hover:text-accent",
      )}
    >
      {chip.label} {chip.count === null ? null : <span className="tabular-nums">{chip.count}</span>}
      <LinkWorking className="inset-x-2.5" />
    </Link>
  );
}

export interface FilterSearch {
  text: string;
  lengthMax: number;
  /** The same view without a search text. */
  clearHref: string;
}

interface Props {
  chips: readonly FilterChip[];
  selects: readonly FilterChoice[];
  order: FilterChoice;
  search: FilterSearch;
}

/** Every filter is an address, so a view can be kept and sent. */
export function QueueFilters({ chips, selects, order, search }: Props) {
  return (
    <div className="@container grid gap-2 border-b border-line px-4 py-2.5">
      <nav aria-label="Filter">
        <ul className="flex flex-wrap gap-1">
          {chips.map((chip) => (
            <li key={chip.label}>
              <ChipLink chip={chip} />
            </li>
          ))}
        </ul>
      </nav>
      {/* As many beside each other as can be read whole. */}
      <div className="grid grid-cols-2 gap-1.5 @[21rem]:grid-cols-3">
        {/* Keyed by the search text, because a field keeps what was typed when only the address changes. */}
        <SearchField key={search.text} search={search} />
        <ChoiceSelect choice={order} />
        {selects.map((choice) => (
          <ChoiceSelect key={choice.name} choice={choice} isOn={choice.current !== choice.choices[0]?.href} />
        ))}
      </div>
    </div>
  );
}

/** A filter that is in use looks like an active chip. */
const onClass = "border-accent bg-accent-soft text-accent";
const controlSize = "h-7.5 px-2 text-sm max-tablet:h-10";

/** Navigates to an address and returns whether that is in progress. */
function useGoTo(): [boolean, (href: string, meanwhile?: () => void) => void] {
  const router = useRouter();
  const [isPending, start] = useTransition();
  const goTo = (href: string, meanwhile?: () => void) => {
    if (!canLeave()) return;
    leaveFor(href);
    start(() => {
      meanwhile?.();
      router.push(href);
    });
  };
  return [isPending, goTo];
}

function Working({ isPending }: { isPending: boolean }) {
  return isPending ? <span aria-hidden className="working-bar absolute inset-x-1 bottom-0 h-0.5 rounded-full" /> : null;
}

/** Shows the choice at once, with a bar under it until the matching queue has loaded. */
function ChoiceSelect({ choice: { name, choices, current }, isOn = false }: { choice: FilterChoice; isOn?: boolean }) {
  const [isPending, goTo] = useGoTo();
  const [shown, show] = useOptimistic(current);
  return (
    <span className="relative" aria-busy={isPending}>
      <Select
        aria-label={name}
        value={shown}
        onChange={({ target: { value } }) => goTo(value, () => show(value))}
        choices={choices.map(({ label, href }) => ({ value: href, label }))}
        className={classNames(controlSize, "truncate pr-6", isOn && onClass)}
      />
      <Working isPending={isPending} />
    </span>
  );
}

/** The search starts on Enter; an emptied field shows the whole view again. Without scripts it is a normal form. */
function SearchField({ search: { text, lengthMax, clearHref } }: { search: FilterSearch }) {
  const [isPending, goTo] = useGoTo();
  const [typed, setTyped] = useState(text);
  const [path = "", others = ""] = clearHref.split("?");
  const look = (words: string) => {
    if (words.trim() !== text)
      goTo(
        words.trim() === ""
          ? clearHref
          : `${path}?${new URLSearchParams([...new URLSearchParams(others), ["q", words.trim()]])}`,
      );
  };
  const change = (words: string) => {
    setTyped(words);
    if (words === "") look("");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
    // It leaves the field and closes nothing else.
    event.preventDefault();
    if (typed === "") event.currentTarget.blur();
    change("");
  };
  return (
    <form
      role="search"
      aria-busy={isPending}
      action={path}
      className="relative col-span-2"
      onSubmit={(event) => {
        event.preventDefault();
        look(typed);
        // The keys then work on the calls that were found.
        event.currentTarget.querySelector("input")?.blur();
      }}
    >
      <input
        data-key="/"
        name="q"
        type="search"
        aria-label="Search the queue"
        placeholder="Search: words, run, person"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={lengthMax}
        value={typed}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        className={classNames(controlClass, controlSize, text !== "" && onClass)}
      />
      {[...new URLSearchParams(others)].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Working isPending={isPending} />
    </form>
  );
}
