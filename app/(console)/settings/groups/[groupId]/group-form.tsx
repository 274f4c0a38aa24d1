"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { ConfirmForm } from "@/components/ui/confirm-form";
import { FormFailure } from "@/components/ui/form-failure";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { removeGroup, saveGroup } from "../actions";
import { GROUP_FIELDS, GroupFields } from "../group-fields";

export function GroupForm({ id, name, description }: { id: string; name: string; description: string }) {
  const [state, action] = useForm(saveGroup);
  return (
    <form action={action} className="grid max-w-96 gap-3">
      <FormFailure state={state} fields={GROUP_FIELDS} />
      <input type="hidden" name="groupId" value={id} />
      <GroupFields state={state} name={name} description={description} />
      <div>
        <SubmitButton variant="plain" pendingText="Saving…">
          Save
        </SubmitButton>
      </div>
    </form>
  );
}

export function DeleteGroup({ id, name }: { id: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete the group…
      </Button>
      <ConfirmForm
        open={open}
        onClose={() => setOpen(false)}
        title={`Delete ${name}?`}
        description="Its members stay people; calls that only this group may decide wait until someone else may. What it decided stays on record."
        action={removeGroup}
        fields={{ groupId: id }}
        confirm="Delete"
        pendingText="Deleting…"
        danger
      />
    </div>
  );
}
