"use client";

import { useState } from "react";
import { Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { SelectField, TextField } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { SecretOnce } from "@/components/ui/secret-once";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { addToken } from "./actions";
import { EXPIRY_CHOICES } from "./expiry";
import { ScopeFields, type Scopes, useScopes } from "./scope-fields";

export function AddToken(offered: Scopes) {
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
        <AddTokenForm {...offered} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function AddTokenForm({ onClose, ...offered }: Scopes & { onClose: () => void }) {
  const [state, action] = useForm(addToken);
  const picked = useScopes();
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
      <FormFailure state={state} fields={["name", "scopes", "profile", "expires"]} />
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
      <ScopeFields {...offered} {...picked} values={values} issues={issues} />
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
        <SubmitButton pendingText="Making…" disabled={picked.chosen.size === 0}>
          Make the token
        </SubmitButton>
      </DialogActions>
    </form>
  );
}
