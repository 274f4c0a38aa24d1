import Form from "next/form";
import Link from "next/link";
import { ChevronRight } from "lucide-react";
import { LinkWorking } from "@/components/shell/link-working";
import { buttonClass } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { SubmitButton } from "@/components/ui/submit-button";
import { addressWith } from "../search-params";
import { TimeField } from "../time-field";
import type { TrailQuery } from "./filter";

/** Plain forms that change the address, so that a view can be shared as a link. On a phone the form is folded. */
export function TrailFilters({ query, zone }: { query: TrailQuery; zone: string }) {
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <>
      <details open={isFiltered} className="border-b border-line tablet:hidden">
        <summary className="flex h-11 items-center gap-2 px-4 text-ink-2">
          <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform [[open]>summary>&]:rotate-90" />
          Filter
        </summary>
        <FilterForm query={query} zone={zone} isFiltered={isFiltered} idPrefix="phone-trail" />
      </details>
      <div className="border-b border-line max-tablet:hidden">
        <FilterForm query={query} zone={zone} isFiltered={isFiltered} idPrefix="trail" />
      </div>
    </>
  );
}

interface FormProps {
  query: TrailQuery;
  zone: string;
  isFiltered: boolean;
  idPrefix: string;
}

function FilterForm({ query, zone, isFiltered, idPrefix }: FormProps) {
  return (
    // Keyed by the filter, because a browser keeps what was typed when only the address changes. Not by the zone, which
    // comes after the first paint of a first visit.
    <Form
      key={addressWith("", { ...query })}
      action="/audit"
      role="search"
      aria-label="Filter the trail"
      className="grid grid-cols-2 items-end gap-2.5 px-4 py-3 tablet:grid-cols-3 tablet:px-6 wide:grid-cols-[repeat(3,minmax(0,1fr))_repeat(2,minmax(0,1.15fr))_auto]"
    >
      <TextField
        id={`${idPrefix}-chain`}
        name="chain"
        label="Run or chain"
        placeholder="run_… or system"
        defaultValue={query.chain}
        spellCheck={false}
        autoComplete="off"
      />
      <TextField
        id={`${idPrefix}-type`}
        name="type"
        label="Type"
        placeholder="user or user.created"
        defaultValue={query.type}
        spellCheck={false}
        autoComplete="off"
      />
      <TextField
        id={`${idPrefix}-actor`}
        className="max-tablet:col-span-2"
        name="actor"
        label="Actor"
        placeholder="Name, e-mail, usr_…"
        defaultValue={query.actor}
        spellCheck={false}
        autoComplete="off"
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
      <div className="flex gap-2">
        <SubmitButton variant="plain" pendingText="Filtering…">
          Filter
        </SubmitButton>
        {isFiltered ? (
          <Link href="/audit" className={buttonClass({ variant: "quiet" }, "relative")}>
            Clear
            <LinkWorking />
          </Link>
        ) : null}
      </div>
    </Form>
  );
}
