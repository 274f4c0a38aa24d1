import { ChevronRight } from "lucide-react";
import { RUN_STATUSES, RUN_WORDS } from "@/components/runs/run-words";
import { Button, buttonClass } from "@/components/ui/button";
import { SelectField, TextField } from "@/components/ui/field";
import { type HistoryQuery, isFiltered } from "./filter";

const STATUS_CHOICES = [{ value: "", label: "Any" }, ...RUN_STATUSES.map((status) => ({ value: status, label: RUN_WORDS[status].word }))];

interface Props {
  query: HistoryQuery;
  /** Names that exist in the project as it is now; older runs may have others, which can be typed. */
  workflows: readonly string[];
  agents: readonly string[];
}

/** A plain form that changes the address, so that what is shown can be sent to someone. On a phone it is folded away. */
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

function FilterForm({ query, workflows, agents, idPrefix }: Props & { idPrefix: string }) {
  const text = { spellCheck: false, autoComplete: "off" } as const;
  return (
    <form role="search" aria-label="Filter runs" className="grid grid-cols-2 items-end gap-2.5 px-4 py-3 tablet:grid-cols-4 tablet:px-6 wide:grid-cols-[minmax(0,1.5fr)_repeat(4,minmax(0,1fr))_repeat(2,minmax(0,1.25fr))_auto]">
      <TextField id={`${idPrefix}-q`} name="q" label="Text" placeholder="Words, values, run_…" defaultValue={query.q} className="max-tablet:col-span-2" {...text} />
      <SelectField id={`${idPrefix}-status`} name="status" label="Status" choices={STATUS_CHOICES} defaultValue={query.status ?? ""} />
      <TextField id={`${idPrefix}-workflow`} name="workflow" label="Workflow" list={`${idPrefix}-workflows`} defaultValue={query.workflow} {...text} />
      <TextField id={`${idPrefix}-agent`} name="agent" label="Agent" list={`${idPrefix}-agents`} defaultValue={query.agent} {...text} />
      <TextField id={`${idPrefix}-who`} name="who" label="Started by" placeholder="Name or e-mail" defaultValue={query.who} {...text} />
      <TextField id={`${idPrefix}-from`} name="from" type="datetime-local" label="From (UTC)" defaultValue={pickerValue(query.from)} className="max-tablet:col-span-2" />
      <TextField id={`${idPrefix}-to`} name="to" type="datetime-local" label="Until (UTC)" defaultValue={pickerValue(query.to)} className="max-tablet:col-span-2" />
      <div className="flex gap-2">
        <Button type="submit">Filter</Button>
        {isFiltered(query) ? (
          <a href="/history" className={buttonClass({ variant: "quiet" })}>
            Clear
          </a>
        ) : null}
      </div>
      <Names id={`${idPrefix}-workflows`} names={workflows} />
      <Names id={`${idPrefix}-agents`} names={agents} />
    </form>
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

/** What the browser's picker takes; a time it cannot hold is left to the notice that reports it. */
function pickerValue(text: string | undefined): string | undefined {
  return text?.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d/)?.[0];
}
