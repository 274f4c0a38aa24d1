import { ChevronRight } from "lucide-react";
import { Button, buttonClass } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import type { TrailQuery } from "./filter";

/** Plain forms that change the address, so that what is shown can be sent to someone. On a phone the form is folded away. */
export function TrailFilters({ query }: { query: TrailQuery }) {
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <>
      <details open={isFiltered} className="border-b border-line tablet:hidden">
        <summary className="flex h-11 items-center gap-2 px-4 text-ink-2">
          <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform [[open]>summary>&]:rotate-90" />
          Filter
        </summary>
        <FilterForm query={query} isFiltered={isFiltered} idPrefix="phone-trail" />
      </details>
      <div className="border-b border-line max-tablet:hidden">
        <FilterForm query={query} isFiltered={isFiltered} idPrefix="trail" />
      </div>
    </>
  );
}

function FilterForm({ query, isFiltered, idPrefix }: { query: TrailQuery; isFiltered: boolean; idPrefix: string }) {
  return (
    <form role="search" aria-label="Filter the trail" className="grid grid-cols-2 items-end gap-2.5 px-4 py-3 tablet:grid-cols-3 tablet:px-6 wide:grid-cols-[repeat(3,minmax(0,1fr))_repeat(2,minmax(0,1.15fr))_auto]">
      <TextField id={`${idPrefix}-chain`} name="chain" label="Run or chain" placeholder="run_… or system" defaultValue={query.chain} spellCheck={false} autoComplete="off" />
      <TextField id={`${idPrefix}-type`} name="type" label="Type" placeholder="user or user.created" defaultValue={query.type} spellCheck={false} autoComplete="off" />
      <TextField id={`${idPrefix}-actor`} className="max-tablet:col-span-2" name="actor" label="Actor" placeholder="usr_…, tok_…" defaultValue={query.actor} spellCheck={false} autoComplete="off" />
      <TextField id={`${idPrefix}-from`} className="max-tablet:col-span-2" name="from" type="datetime-local" label="From (UTC)" defaultValue={pickerValue(query.from)} />
      <TextField id={`${idPrefix}-to`} className="max-tablet:col-span-2" name="to" type="datetime-local" label="Until (UTC)" defaultValue={pickerValue(query.to)} />
      <div className="flex gap-2">
        <Button type="submit">Filter</Button>
        {isFiltered ? (
          <a href="/audit" className={buttonClass({ variant: "quiet" })}>
            Clear
          </a>
        ) : null}
      </div>
    </form>
  );
}

/** What the browser's picker takes; a time it cannot hold is left to the notice that reports it. */
function pickerValue(text: string | undefined): string | undefined {
  return text?.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d/)?.[0];
}
