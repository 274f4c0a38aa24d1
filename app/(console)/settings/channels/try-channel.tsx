"use client";

import { FormFailure } from "@/components/ui/form-failure";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { tryChannel } from "./actions";

export function TryChannel({ name }: { name: string }) {
  const [state, run] = useForm(tryChannel);
  return (
    <form action={run} className="grid justify-items-start gap-2">
      <input type="hidden" name="channel" value={name} />
      <SubmitButton size="small" variant="plain" pendingText="Sending…">
        Send a test<span className="sr-only"> to {name}</span>
      </SubmitButton>
      <FormFailure state={state} />
    </form>
  );
}
