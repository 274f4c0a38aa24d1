"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { changePassword } from "./actions";
import type { ListedPerson } from "./listed-person";
import { suggestPassword } from "./suggest-password";

export function SetPassword({ person, open, onClose }: { person: ListedPerson; open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`New password for ${person.name}`}
      description="It ends all their sessions and API tokens. Pass it on over a channel you trust."
    >
      <SetPasswordForm person={person} onClose={onClose} />
    </Dialog>
  );
}

function SetPasswordForm({ person, onClose }: { person: ListedPerson; onClose: () => void }) {
  const [state, action] = useForm(changePassword, onClose);
  const [password, setPassword] = useState("");
  return (
    <form action={action} className="grid gap-4">
      <FormFailure state={state} fields={["password"]} />
      <input type="hidden" name="userId" value={person.id} />
      <div className="flex items-end gap-2">
        <TextField
          id="set-password"
          name="password"
          label="New password, at least 12 characters"
          required
          autoComplete="off"
          spellCheck={false}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={state.issues.password}
          className="flex-1"
        />
        <Button onClick={() => setPassword(suggestPassword())}>Suggest one</Button>
      </div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton pendingText="Setting…">Set password</SubmitButton>
      </DialogActions>
    </form>
  );
}
