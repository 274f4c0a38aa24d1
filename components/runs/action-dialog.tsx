"use client";

import { type ReactNode, useState } from "react";
import { Button, type ButtonLook } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { FormFailure } from "@/components/ui/form-failure";
import type { FormAction, FormState } from "@/components/ui/form-state";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";

interface Props {
  button: string;
  look?: ButtonLook;
  title: string;
  description: ReactNode;
  action: FormAction;
  /** Sent along, beside what the fields ask for. */
  sent: Readonly<Record<string, string>>;
  confirm: string;
  pendingText: string;
  danger?: boolean;
  /** What is asked; it gets the state of the form, so that each problem stands at its field. */
  renderFields?: (state: FormState) => ReactNode;
}

/** A button that asks before it acts, says what will happen, and stays open with the reason when it is refused. */
export function ActionDialog({ button, look, title, description, ...form }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button {...look} onClick={() => setOpen(true)}>
        {button}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={title} description={description}>
        <Body {...form} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function Body({
  action,
  sent,
  confirm,
  pendingText,
  danger,
  renderFields,
  onClose,
}: Omit<Props, "button" | "look" | "title" | "description"> & { onClose: () => void }) {
  const [state, run] = useForm(action, onClose);
  return (
    <form action={run} className="grid gap-4">
      <FormFailure state={state} />
      {Object.entries(sent).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {renderFields?.(state)}
      <DialogActions>
        <Button onClick={onClose}>Back</Button>
        <SubmitButton variant={danger ? "danger" : "primary"} pendingText={pendingText}>
          {confirm}
        </SubmitButton>
      </DialogActions>
    </form>
  );
}
