import Form from "next/form";
import Link from "next/link";
import { LinkWorking } from "@/components/shell/link-working";
import { buttonClass } from "@/components/ui/button";
import { SelectField, TextField } from "@/components/ui/field";
import { SubmitButton } from "@/components/ui/submit-button";
import { addressWith } from "../search-params";
import { isFiltered, type SessionQuery } from "./filter";

const WAITING = [
  { value: "", label: "Any" },
  { value: "1", label: "Waits for a person" },
];

/** A plain form that changes the address, so that what it shows can be sent as a link. */
export function SessionFilters({ query, profiles }: { query: SessionQuery; profiles: readonly string[] }) {
  const text = { spellCheck: false, autoComplete: "off" } as const;
  const known = [...new Set([...profiles, ...(query.profile ? [query.profile] : [])])];
  return (
    // Keyed by the filter, because a browser keeps what was typed when only the address changes.
    <Form
      key={addressWith("", { ...query })}
      role="search"
      aria-label="Filter sessions"
      action="/clients"
      className="grid grid-cols-2 items-end gap-2.5 px-4 pb-3 tablet:grid-cols-[repeat(4,minmax(0,1fr))_auto] tablet:px-6"
    >
      <TextField
        id="session-q"
        name="q"
        label="Client"
        placeholder="Name, version, ses_…"
        defaultValue={query.q}
        {...text}
      />
      <TextField
        id="session-who"
        name="who"
        label="Person or token"
        placeholder="Name or e-mail"
        defaultValue={query.who}
        {...text}
      />
      <SelectField
        id="session-profile"
        name="profile"
        label="Profile"
        choices={[{ value: "", label: "Any" }, ...known.map((name) => ({ value: name, label: name }))]}
        defaultValue={query.profile ?? ""}
      />
      <SelectField
        id="session-waiting"
        name="waiting"
        label="State"
        choices={WAITING}
        defaultValue={query.waiting ?? ""}
      />
      <div className="flex gap-2 max-tablet:col-span-2">
        <SubmitButton variant="plain" pendingText="Filtering…">
          Filter
        </SubmitButton>
        {isFiltered(query) ? (
          <Link href="/clients" className={buttonClass({ variant: "quiet" }, "relative")}>
            Clear
            <LinkWorking />
          </Link>
        ) : null}
      </div>
    </Form>
  );
}
