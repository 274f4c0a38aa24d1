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
import { ROLE_CHOICES, ROLE_TEXT } from "../role-text";
import { addPerson } from "./actions";

export function AddPerson() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> Add a person
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Add a person">
        <AddPersonForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function AddPersonForm({ onClose }: { onClose: () => void }) {
  const [state, action] = useForm(addPerson, (done) => !done.secret && onClose());
  if (state.status === "done" && state.secret) {
    return (
      <div className="grid gap-4">
        <p className="font-medium" role="status">
          {state.message}.
        </p>
        <SecretOnce what="password" value={state.secret}>
          This password was generated for them. It is shown this once; pass it on over a channel you trust.
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
      <FormFailure state={state} fields={["email", "name", "role", "password"]} />
      <TextField
        id="person-email"
        name="email"
        type="email"
        label="E-mail"
        required
        maxLength={254}
        autoComplete="off"
        defaultValue={values.email}
        error={issues.email}
      />
      <TextField
        id="person-name"
        name="name"
        label="Name"
        required
        maxLength={120}
        autoComplete="off"
        defaultValue={values.name}
        error={issues.name}
      />
      <RoleField key={values.role} wanted={values.role} error={issues.role} />
      <TextField
        id="person-password"
        name="password"
        type="password"
        label="Password (optional)"
        autoComplete="new-password"
        error={issues.password}
        hint="Leave it empty and one is generated and shown once. Who signs in with a provider needs none."
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton pendingText="Adding…">Add</SubmitButton>
      </DialogActions>
    </form>
  );
}

/** Under the list stands what the chosen role may do. */
function RoleField({ wanted, error }: { wanted: string | undefined; error: string | undefined }) {
  const [role, setRole] = useState(wanted ?? "reviewer");
  const text = Object.entries(ROLE_TEXT).find(([name]) => name === role)?.[1];
  return (
    <SelectField
      id="person-role"
      name="role"
      label="Role"
      choices={ROLE_CHOICES}
      value={role}
      onChange={(event) => setRole(event.target.value)}
      error={error}
      hint={text ? `${text.article === "an" ? "An" : "A"} ${text.label.toLowerCase()} ${text.may}.` : undefined}
    />
  );
}
