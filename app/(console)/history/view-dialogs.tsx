"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { CheckField, TextField } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import type { FormAction } from "@/components/ui/form-state";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { change, remove, save } from "./actions";

interface FormProps {
  action: FormAction;
  sent: Readonly<Record<string, string>>;
  name: string;
  isDefault: boolean;
  confirm: string;
  onClose: () => void;
}

export function SaveView({ query }: { query: string }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Save view…
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title="Save these filters as a view"
        description="Only you see it. Its link holds plain filters, so it can be sent to anyone."
      >
        <ViewForm action={save} sent={{ query }} name="" isDefault={false} confirm="Save the view" onClose={close} />
      </Dialog>
    </>
  );
}

export function EditView({ view }: { view: { id: string; name: string; isDefault: boolean } }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button size="small" variant="quiet" onClick={() => setOpen(true)}>
        Edit view…
      </Button>
      <Dialog open={open} onClose={close} title="Edit view">
        <ViewForm
          action={change}
          sent={{ id: view.id }}
          name={view.name}
          isDefault={view.isDefault}
          confirm="Save changes"
          onClose={close}
        />
        <DeleteForm id={view.id} />
      </Dialog>
    </>
  );
}

function ViewForm({ action, sent, name, isDefault, confirm, onClose }: FormProps) {
  const [state, run] = useForm(action, onClose);
  // Kept here, because a form that the server refused comes back with its box cleared.
  const [opensWith, setOpensWith] = useState(isDefault);
  return (
    <form action={run} className="grid gap-4">
      <FormFailure state={state} fields={["name"]} />
      {Object.entries(sent).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      <TextField
        id="view-name"
        name="name"
        label="Name"
        required
        maxLength={60}
        autoComplete="off"
        defaultValue={state.values.name ?? name}
        error={state.issues.name}
      />
      <CheckField
        name="isDefault"
        label="Open History with this view"
        hint="“All runs” is one press away."
        checked={opensWith}
        onChange={(event) => setOpensWith(event.target.checked)}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton pendingText="Saving…">{confirm}</SubmitButton>
      </DialogActions>
    </form>
  );
}

/** Not confirmed: a view is made again in seconds, and no run is touched. */
function DeleteForm({ id }: { id: string }) {
  const [state, run] = useForm(remove);
  return (
    <form action={run} className="grid gap-3 border-t border-line pt-4">
      <FormFailure state={state} />
      <input type="hidden" name="id" value={id} />
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm text-ink-2">Deletes the view, not the runs in it.</p>
        <SubmitButton variant="danger" size="small" pendingText="Deleting…">
          Delete view
        </SubmitButton>
      </div>
    </form>
  );
}
