"use client";

import { useState } from "react";
import { ConfirmForm } from "@/components/ui/confirm-form";
import { Select } from "@/components/ui/field";
import type { Role } from "@/lib/people/rules/roles";
import { ROLE_CHOICES, ROLE_TEXT } from "../role-text";
import { changeRole } from "./actions";
import type { ListedPerson } from "./listed-person";

/** A change is confirmed first; the list shows the stored role until the server has accepted it. */
export function RoleSelect({ person }: { person: ListedPerson }) {
  const [wanted, setWanted] = useState<Role | null>(null);
  const text = wanted && ROLE_TEXT[wanted];
  return (
    <>
      <div className="-ml-2 w-28">
        <Select
          aria-label={`Role of ${person.name}`}
          choices={ROLE_CHOICES}
          value={person.role}
          onChange={(event) => setWanted(event.target.value as Role)}
          className="h-8 border-transparent bg-transparent px-2 hover:border-line-strong hover:bg-panel max-tablet:h-10 max-tablet:text-base"
        />
      </div>
      <ConfirmForm
        open={wanted !== null}
        onClose={() => setWanted(null)}
        title={text ? `Make ${person.name} ${text.article} ${text.label.toLowerCase()}?` : ""}
        description={
          text ? (
            <>
              {text.label}: {text.may}. It holds from their next request on.
              {person.isSelf ? " This is your own account." : null}
            </>
          ) : null
        }
        action={changeRole}
        fields={{ userId: person.id, role: wanted ?? person.role }}
        confirm="Change role"
        pendingText="Changing…"
      />
    </>
  );
}
