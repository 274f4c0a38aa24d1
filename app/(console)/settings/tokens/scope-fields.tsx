"use client";

import { useState } from "react";
import { CheckField, SelectField } from "@/components/ui/field";

/** For MCP clients. It stands alone, because such a token lies in a client's configuration file. */
const CLIENT = "mcp";

export interface Scopes {
  scopes: readonly { value: string; says: string }[];
  /** Names of the project's profiles: what a token for an MCP client can be bound to. */
  profiles: readonly string[];
}

/** Kept outside the form's own fields, because a form that the server refused comes back with its boxes cleared. */
export function useScopes() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (scope: string, on: boolean) => {
    if (scope === CLIENT) setChosen(new Set(on ? [CLIENT] : []));
    else setChosen(new Set(on ? [...chosen, scope] : [...chosen].filter((other) => other !== scope)));
  };
  return { chosen, toggle };
}

export function ScopeFields({
  scopes,
  profiles,
  chosen,
  toggle,
  values,
  issues,
}: Scopes & ReturnType<typeof useScopes> & Record<"values" | "issues", Readonly<Record<string, string>>>) {
  const isClient = chosen.has(CLIENT);
  const hasNone = profiles.length === 0;
  return (
    <>
      <fieldset className="grid" aria-describedby={issues.scopes ? "token-scopes-note" : undefined}>
        <legend className="pb-1 text-sm font-medium text-ink-2">
          Scopes <span className="font-normal text-ink-3">at least one</span>
        </legend>
        {scopes.map(({ value, says }) => (
          <CheckField
            key={value}
            name="scopes"
            value={value}
            checked={chosen.has(value)}
            disabled={value === CLIENT ? hasNone : isClient}
            onChange={(event) => toggle(value, event.target.checked)}
            label={<code>{value}</code>}
            hint={value === CLIENT && hasNone ? `${says}. The project has no profile yet` : says}
          />
        ))}
        {issues.scopes ? (
          <p id="token-scopes-note" className="text-sm text-critical">
            {issues.scopes}
          </p>
        ) : null}
      </fieldset>
      {isClient ? (
        <SelectField
          key={values.profile}
          id="token-profile"
          name="profile"
          label="Profile"
          choices={profiles.map((name) => ({ value: name, label: name }))}
          defaultValue={values.profile ?? profiles[0]}
          error={issues.profile}
          hint="What the client may do. Its token is kept in the client’s configuration, so it has no other scope."
        />
      ) : null}
    </>
  );
}
