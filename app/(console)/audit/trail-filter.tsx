import { Button, buttonClass } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import type { TrailQuery } from "./filter";

/** A plain form that changes the address, so that what is shown can be sent to someone. */
export function TrailFilterForm({ query }: { query: TrailQuery }) {
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <form role="search" aria-label="Filter the trail" className="grid grid-cols-2 items-end gap-2.5 border-b border-line px-4 py-3 tablet:grid-cols-3 tablet:px-6 wide:grid-cols-[repeat(3,minmax(0,1fr))_repeat(2,minmax(0,1.15fr))_auto]">
      <TextField id="trail-chain" name="chain" label="Run or chain" placeholder="run_… or system" defaultValue={query.chain} spellCheck={false} autoComplete="off" />
      <TextField id="trail-type" name="type" label="Type" placeholder="user or user.created" defaultValue={query.type} spellCheck={false} autoComplete="off" />
      <TextField id="trail-actor" className="max-tablet:col-span-2" name="actor" label="Actor" placeholder="usr_…, tok_…" defaultValue={query.actor} spellCheck={false} autoComplete="off" />
      <TextField id="trail-from" className="max-tablet:col-span-2" name="from" type="datetime-local" label="From (UTC)" defaultValue={query.from?.slice(0, 16)} />
      <TextField id="trail-to" className="max-tablet:col-span-2" name="to" type="datetime-local" label="Until (UTC)" defaultValue={query.to?.slice(0, 16)} />
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
