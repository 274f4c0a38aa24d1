"use client";

import { useState } from "react";
import { Ellipsis } from "lucide-react";
import { Button } from "@/components/ui/button";
import { ConfirmForm } from "@/components/ui/confirm-form";
import { Menu, MenuItem, MenuLink } from "@/components/ui/menu";
import { changeDisabled } from "./actions";
import type { ListedPerson } from "./listed-person";
import { SetPassword } from "./set-password";

export function PersonActions({ person }: { person: ListedPerson }) {
  const [asking, setAsking] = useState<"password" | "disabled" | null>(null);
  const close = () => setAsking(null);
  const trigger = (
    <Button variant="quiet" size="icon" aria-label={`Actions for ${person.name}`}>
      <Ellipsis aria-hidden />
    </Button>
  );
  return (
    <>
      <Menu trigger={trigger} label={`Actions for ${person.name}`}>
        {person.isSelf ? (
          <MenuLink href="/settings">Change your password…</MenuLink>
        ) : (
          <MenuItem onSelect={() => setAsking("password")}>Set a new password…</MenuItem>
        )}
        <MenuItem danger={!person.disabled} onSelect={() => setAsking("disabled")}>
          {person.disabled ? "Enable the account…" : "Disable the account…"}
        </MenuItem>
      </Menu>
      <SetPassword person={person} open={asking === "password"} onClose={close} />
      <ConfirmForm
        open={asking === "disabled"}
        onClose={close}
        title={person.disabled ? `Let ${person.name} in again?` : `Shut ${person.name} out?`}
        description={
          person.disabled
            ? "They can sign in again, and tokens that were not revoked work again."
            : "Their sessions and tokens end with the next request. What they did stays on record, and you can enable the account again."
        }
        action={changeDisabled}
        fields={{ userId: person.id, disabled: person.disabled ? "no" : "yes" }}
        confirm={person.disabled ? "Enable" : "Disable"}
        pendingText={person.disabled ? "Enabling…" : "Disabling…"}
        danger={!person.disabled}
      />
    </>
  );
}
