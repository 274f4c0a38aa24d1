import type { FilterChip, FilterChoice, FilterSearch } from "@/components/approvals/queue/queue-filters";
import { DANGER_WORDS } from "@/components/approvals/card/danger";
import type { DangerLevel } from "@/lib/policy/danger";
import { COUNT_MAX, type InboxCounts } from "@/lib/approvals/queries/inbox-counts";
import { type InboxView, listAddress, TEXT_LENGTH_MAX } from "./inbox-address";

const SORT_WORDS = { expiry: "By expiry", age: "By age", danger: "By danger" } as const;

/** Counts end at a thousand. */
const print = (count: number): string => (count >= 1000 ? "999+" : String(count));

interface Filters {
  chips: FilterChip[];
  selects: FilterChoice[];
  order: FilterChoice;
  search: FilterSearch;
  /**
   * Apart from the others, because it appears and disappears with the reader's actions, and the others should stay in
   * place.
   */
  aside: FilterChip | null;
}

export function toFilters(view: InboxView, counts: InboxCounts): Filters {
  // The whole queue is counted: beside another filter a chip's number would promise what it does not show.
  const isNarrowed = [view.workflow, view.agent, view.tool, view.text, view.aside].some((value) => value !== undefined);
  const isAll = !view.danger && !view.mine && !isNarrowed;
  const level = (danger: DangerLevel, count: number | null) =>
    chip({ label: DANGER_WORDS[danger], isOn: view.danger === danger }, isNarrowed || view.mine ? null : count, {
      danger: view.danger === danger ? undefined : danger,
    });
  const lesser = (["medium", "low", "safe"] as const).filter(
    (danger) => danger === "medium" || view.danger === danger || counts.dangers[danger] !== undefined,
  );
  // Beyond the count limit nobody knows how many are of which level.
  const countOf = (danger: DangerLevel): number | null =>
    counts.all < COUNT_MAX ? (counts.dangers[danger] ?? 0) : null;
  const chip = (
    words: Pick<FilterChip, "label" | "isOn">,
    count: number | null,
    change: Parameters<typeof listAddress>[1],
  ): FilterChip => ({ ...words, count: count === null ? null : print(count), href: listAddress(view, change) });
  // Names are those of the counted calls; the address can still hold a filter for another one.
  const partly = counts.all < COUNT_MAX ? "" : " of the newest 1,000";
  return {
    chips: [
      chip({ label: "All", isOn: isAll }, counts.all, {
        danger: undefined,
        mine: undefined,
        workflow: undefined,
        agent: undefined,
        tool: undefined,
        text: undefined,
        aside: undefined,
      }),
      chip({ label: "Mine", isOn: view.mine === true }, isNarrowed || view.danger ? null : counts.mine, {
        mine: view.mine ? undefined : true,
      }),
      level("critical", counts.critical),
      level("high", counts.high),
      ...lesser.map((danger) => level(danger, countOf(danger))),
    ],
    aside:
      counts.aside > 0 || view.aside
        ? chip({ label: "Set aside", isOn: view.aside === true }, counts.aside, {
            aside: view.aside ? undefined : true,
          })
        : null,
    selects: [
      select("Workflow", { all: `Workflows${partly}`, known: counts.workflows, current: view.workflow }, (workflow) =>
        listAddress(view, { workflow }),
      ),
      select("Agent", { all: `Agents${partly}`, known: counts.agents, current: view.agent }, (agent) =>
        listAddress(view, { agent }),
      ),
      select("Tool", { all: `Tools${partly}`, known: counts.tools, current: view.tool }, (tool) =>
        listAddress(view, { tool }),
      ),
    ],
    order: {
      name: "Order",
      current: listAddress(view, { sort: view.sort }),
      choices: (["expiry", "age", "danger"] as const).map((sort) => ({
        label: SORT_WORDS[sort],
        href: listAddress(view, { sort }),
      })),
    },
    search: { text: view.text ?? "", lengthMax: TEXT_LENGTH_MAX, clearHref: listAddress(view, { text: undefined }) },
  };
}

/**
 * How many wait. Where no chip shows it for the active filters, also how many match these, as far as the first page
 * shows.
 */
export function describeCount(
  view: InboxView,
  counts: InboxCounts,
  { items, nextCursor }: { items: readonly unknown[]; nextCursor: string | null },
): string {
  const on = toFilters(view, counts).chips.filter(({ isOn }) => isOn);
  const isSaid = on.length > 0 && on.every(({ count }) => count !== null);
  return isSaid || view.aside || view.cursor
    ? print(counts.all)
    : `${items.length}${nextCursor ? "+" : ""} of ${print(counts.all)}`;
}

/** An active filter stays among the choices although nothing matches it any more. */
function select(
  name: string,
  { all, known, current }: { all: string; known: readonly string[]; current: string | undefined },
  address: (value: string | undefined) => string,
): FilterChoice {
  const values = current !== undefined && !known.includes(current) ? [current, ...known] : known;
  return {
    name,
    current: address(current),
    choices: [
      { label: all, href: address(undefined) },
      ...values.map((value) => ({ label: value, href: address(value) })),
    ],
  };
}
