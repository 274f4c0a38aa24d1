"use client";

import { useState } from "react";
import { Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { CheckField, SelectField, TextField } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { SecretOnce } from "@/components/ui/secret-once";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { addToken } from "./actions";
import { EXPIRY_CHOICES } from "./expiry";

interface Props {
  scopes: readonly { value: string; says: string }[];
}

export function AddToken({ scopes }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> New token
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="New token"
        description="It acts in your name and never has more rights than you do."
      >
        <AddTokenForm scopes={scopes} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function AddTokenForm({ scopes, onClose }: Props & { onClose: () => void }) {
  const [state, action] = useForm(addToken);
  // Kept here, because a form that the server refused comes back with its boxes cleared.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  function toggle(scope: string, on: boolean) {
    setChosen(new Set(on ? [...chosen, scope] : [...chosen].filter((other) => other !== scope)));
  }
  if (state.status === "done" && state.secret) {
    return (
      <div className="grid gap-4">
        <p className="font-medium" role="status">
          {state.message}.
        </p>
        <SecretOnce what="token" value={state.secret}>
          It is shown this once. Send it as the header “Authorization: Bearer …”.
        </SecretOnce>
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </div>
    );
  }
  const { values, issues } = state;
  return (
    <form action={action} className="grid gap-4">
      <FormFailure state={state} fields={["name", "scopes", "expires"]} />
      <TextField
        id="token-name"
        name="name"
        label="Name"
        required
        maxLength={80}
        autoComplete="off"
        defaultValue={values.name}
        error={issues.name}
        hint="What will use it, such as “nightly report”."
      />
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
            onChange={(event) => toggle(value, event.target.checked)}
            label={<code>{value}</code>}
            hint={says}
          />
        ))}
        {issues.scopes ? (
          <p id="token-scopes-note" className="text-sm text-critical">
            {issues.scopes}
          </p>
        ) : null}
      </fieldset>
      <SelectField
        key={values.expires}
        id="token-expires"
        name="expires"
        label="Expires"
        choices={EXPIRY_CHOICES}
        defaultValue={values.expires ?? "90"}
        error={issues.expires}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton pendingText="Making…" disabled={chosen.size === 0}>
          Make the token
        </SubmitButton>
      </DialogActions>
    </form>
  );
}
