"use client";

import { TextField } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { saveOwnName } from "./actions";

export function NameForm({ name }: { name: string }) {
  const [state, action] = useForm(saveOwnName);
  return (
    <form action={action} className="grid max-w-96 gap-3">
      <FormFailure state={state} fields={["name"]} />
      <TextField
        id="own-name"
        name="name"
        label="Name"
        autoComplete="name"
        required
        maxLength={120}
        defaultValue={state.values.name ?? name}
        error={state.issues.name}
      />
      <div>
        <SubmitButton variant="plain" pendingText="Saving…">
          Save name
        </SubmitButton>
      </div>
    </form>
  );
}
