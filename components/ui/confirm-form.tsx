"use client";

import type { ReactNode } from "react";
import { Button } from "./button";
import { Dialog, DialogActions } from "./dialog";
import { FormFailure } from "./form-failure";
import type { FormAction } from "./form-state";
import { SubmitButton } from "./submit-button";
import { useForm } from "./use-form";

interface Props {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  action: FormAction;
  /** What is sent along, beside what the children ask for. */
  fields: Readonly<Record<string, string>>;
  confirm: string;
  pendingText: string;
  danger?: boolean;
}

/** Asks once more, says what will happen, and stays open with the reason when it is refused. */
export function ConfirmForm({ open, onClose, title, description, ...form }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title={title} description={description}>
      <ConfirmBody {...form} onClose={onClose} />
    </Dialog>
  );
}

/** Mounted only while the dialog is open, so that an old refusal is not shown the next time. */
function ConfirmBody({
  onClose,
  action,
  fields,
  confirm,
  pendingText,
  danger,
}: Omit<Props, "open" | "title" | "description">) {
  const [state, run] = useForm(action, onClose);
  return (
    <form action={run} className="grid gap-4">
      <FormFailure state={state} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton variant={danger ? "danger" : "primary"} pendingText={pendingText}>
          {confirm}
        </SubmitButton>
      </DialogActions>
    </form>
  );
}
