"use client";

import { useState } from "react";
import { Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { FormFailure } from "@/components/ui/form-failure";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { addGroup } from "./actions";
import { GROUP_FIELDS, GroupFields } from "./group-fields";

export function AddGroup() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> New group
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="New group">
        <AddGroupForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function AddGroupForm({ onClose }: { onClose: () => void }) {
  const [state, action] = useForm(addGroup);
  return (
    <form action={action} className="grid gap-4">
      <FormFailure state={state} fields={GROUP_FIELDS} />
      <GroupFields state={state} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton pendingText="Creating…">Create</SubmitButton>
      </DialogActions>
    </form>
  );
}
