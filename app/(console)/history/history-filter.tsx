import Form from "next/form";
import Link from "next/link";
import { ChevronRight } from "lucide-react";
import { RUN_STATUSES, RUN_WORDS } from "@/components/runs/run-words";
import { LinkWorking } from "@/components/shell/link-working";
import { buttonClass } from "@/components/ui/button";
import { SelectField, TextField } from "@/components/ui/field";
import { SubmitButton } from "@/components/ui/submit-button";
import { TimeField } from "../time-field";
import { formatHistoryQuery, type HistoryQuery, isFiltered, NEED_CHOICES, PERIODS, VIA_CHOICES } from "./filter";

const STATUS_CHOICES = [
  { value: "", label: "Any" },
  ...RUN_STATUSES.map((status) => ({ value: status as string, label: RUN_WORDS[status].word })),
  ...Object.entries(NEED_CHOICES).map(([value, { label }]) => ({ value, label })),
];
const VIA = [{ value: "", label: "Any" }, ...Object.entries(VIA_CHOICES).map(([value, label]) => ({ value, label }))];
const PERIOD_CHOICES = [
  { value: "", label: "Any time" },
  ...Object.entries(PERIODS).map(([value, { label }]) => ({ value, label })),
];

interface Props {
  query: HistoryQuery;
  zone: string;
  /** Names that exist in the project as it is now; older runs may have others, which can be typed. */
  workflows: readonly string[];
  agents: readonly string[];
  /** Where every run is listed. */
  clearHref: string;
}

/** A plain form that changes the address, so that a view can be shared as a link. On a phone it is folded. */
export function HistoryFilters(props: Props) {
  return (
    <>
      <details open={isFiltered(props.query)} className="border-b border-line tablet:hidden print:hidden">
        <summary className="flex h-11 items-center gap-2 px-4 text-ink-2">
          <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform [[open]>summary>&]:rotate-90" />
          Filter
        </summary>
        <FilterForm {...props} idPrefix="phone-runs" />
      </details>
      <div className="border-b border-line max-tablet:hidden print:hidden">
        <FilterForm {...props} idPrefix="runs" />
      </div>
    </>
  );
}

function FilterForm({ query, zone, workflows, agents, clearHref, idPrefix }: Props & { idPrefix: string }) {
  const text = { spellCheck: false, autoComplete: "off" } as const;
  return (
    // Keyed by the filter, because a browser keeps what was typed when only the address changes. Not by the zone, which
    // comes after the first paint of a first visit.
    <Form
      key={formatHistoryQuery(query)}
      role="search"
      aria-label="Filter runs"
      action="/history"
      className="grid gap-2.5 px-4 py-3 tablet:px-6"
    >
      <div className="grid grid-cols-2 items-end gap-2.5 tablet:grid-cols-4 wide:grid-cols-[minmax(0,1.6fr)_repeat(6,minmax(0,1fr))_auto]">
        <TextField
          id={`${idPrefix}-q`}
          name="q"
          label="Text"
          placeholder="Words, values, run_…"
          defaultValue={query.q}
          className="max-tablet:col-span-2"
          {...text}
        />
        <SelectField
          id={`${idPrefix}-status`}
          name="status"
          label="Status"
          choices={STATUS_CHOICES}
          defaultValue={query.status ?? ""}
        />
        <TextField
          id={`${idPrefix}-workflow`}
          name="workflow"
          label="Workflow"
          placeholder="Any"
          list={`${idPrefix}-workflows`}
          defaultValue={query.workflow}
          {...text}
        />
        <TextField
          id={`${idPrefix}-agent`}
          name="agent"
          label="Agent"
          placeholder="Any"
          list={`${idPrefix}-agents`}
          defaultValue={query.agent}
          {...text}
        />
        <TextField
          id={`${idPrefix}-who`}
          name="who"
          label="Started by"
          placeholder="Name or e-mail"
          defaultValue={query.who}
          {...text}
        />
        <SelectField
          id={`${idPrefix}-last`}
          name="last"
          label="Started"
          choices={PERIOD_CHOICES}
          defaultValue={query.last ?? ""}
        />
        <SelectField id={`${idPrefix}-via`} name="via" label="Made by" choices={VIA} defaultValue={query.via ?? ""} />
        {query.session ? <input type="hidden" name="session" value={query.session} /> : null}
        <div className="flex gap-2">
          <SubmitButton variant="plain" pendingText="Filtering…">
            Filter
          </SubmitButton>
          {isFiltered(query) ? (
            <Link href={clearHref} className={buttonClass({ variant: "quiet" }, "relative")}>
              Clear
              <LinkWorking />
            </Link>
          ) : null}
        </div>
      </div>
      <RareFilters query={query} zone={zone} idPrefix={idPrefix} />
      <Names id={`${idPrefix}-workflows`} names={workflows} />
      <Names id={`${idPrefix}-agents`} names={agents} />
    </Form>
  );
}

/** Folded unless one of them is in use, so that the row above stays readable. */
function RareFilters({ query, zone, idPrefix }: { query: HistoryQuery; zone: string; idPrefix: string }) {
  const amount = { inputMode: "decimal", autoComplete: "off", placeholder: "0.00" } as const;
  return (
    <details
      open={[query.from, query.to, query.cost_min, query.cost_max].some((value) => value !== undefined)}
      className="group/more"
    >
      <summary className="inline-flex items-center gap-1.5 text-sm text-ink-2 max-tablet:h-9">
        <ChevronRight aria-hidden className="size-3.5 text-ink-3 transition-transform group-open/more:rotate-90" />
        Cost, and exact times
      </summary>
      <div className="grid grid-cols-2 items-end gap-2.5 pt-2 tablet:max-w-190 tablet:grid-cols-4">
        <TextField
          id={`${idPrefix}-cost-min`}
          name="cost_min"
          label="Cost from ($)"
          defaultValue={query.cost_min}
          {...amount}
        />
        <TextField
          id={`${idPrefix}-cost-max`}
          name="cost_max"
          label="Cost to ($)"
          defaultValue={query.cost_max}
          {...amount}
        />
        <TimeField
          id={`${idPrefix}-from`}
          name="from"
          label="From"
          at={query.from}
          zone={zone}
          className="max-tablet:col-span-2"
        />
        <TimeField
          id={`${idPrefix}-to`}
          name="to"
          label="Until"
          at={query.to}
          zone={zone}
          className="max-tablet:col-span-2"
        />
      </div>
    </details>
  );
}

function Names({ id, names }: { id: string; names: readonly string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </datalist>
  );
}
