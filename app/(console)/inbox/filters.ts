import type { FilterChip, FilterChoice } from "@/components/approvals/queue-filters";
import type { InboxCounts } from "@/lib/store/queries/inbox-counts";
import { type InboxView, listAddress } from "./inbox-address";

const SORT_WORDS = { expiry: "By expiry", age: "By age", danger: "By danger" } as const;

/** Counts end at a thousand. */
const print = (count: number): string => (count >= 1000 ? "999+" : String(count));

export function toFilters(view: InboxView, counts: InboxCounts): { chips: FilterChip[]; selects: FilterChoice[] } {
  const chip = (label: string, count: number | null, change: Parameters<typeof listAddress>[1], isOn: boolean): FilterChip => ({ label, count: count === null ? null : print(count), href: listAddress(view, change), isOn });
  return {
    chips: [
      chip("All", counts.all, { danger: undefined, mine: undefined, workflow: undefined, agent: undefined }, !view.danger && !view.mine && !view.workflow && !view.agent),
      chip("Mine", counts.mine, { mine: view.mine ? undefined : true }, view.mine === true),
      chip("Critical", counts.critical, { danger: view.danger === "critical" ? undefined : "critical" }, view.danger === "critical"),
      chip("High", counts.high, { danger: view.danger === "high" ? undefined : "high" }, view.danger === "high"),
      chip("Medium", null, { danger: view.danger === "medium" ? undefined : "medium" }, view.danger === "medium"),
    ],
    selects: [
      select("Workflow", "Workflows", counts.workflows, view.workflow, (workflow) => listAddress(view, { workflow })),
      select("Agent", "Agents", counts.agents, view.agent, (agent) => listAddress(view, { agent })),
      {
        name: "Order",
        current: listAddress(view, { sort: view.sort }),
        choices: (["expiry", "age", "danger"] as const).map((sort) => ({ label: SORT_WORDS[sort], href: listAddress(view, { sort }) })),
      },
    ],
  };
}

/** A filter that is on stays among the choices although nothing fits it any more. */
function select(name: string, all: string, known: readonly string[], current: string | undefined, address: (value: string | undefined) => string): FilterChoice {
  const values = current !== undefined && !known.includes(current) ? [current, ...known] : known;
  return { name, current: address(current), choices: [{ label: all, href: address(undefined) }, ...values.map((value) => ({ label: value, href: address(value) }))] };
}
