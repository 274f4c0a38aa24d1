"use client";

import { TextField } from "@/components/ui/field";
import { FormFailure } from "@/components/ui/form-failure";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { changeOwnPassword } from "./actions";

export function PasswordForm({ hasPassword, email }: { hasPassword: boolean; email: string }) {
  const [state, action] = useForm(changeOwnPassword);
  return (
    <form action={action} className="grid max-w-96 gap-3">
      <FormFailure state={state} fields={["password", "currentPassword"]} />
      {/* Password managers store the new password under this name. */}
      <input type="hidden" name="username" autoComplete="username" value={email} />
      {hasPassword ? (
        <TextField
          id="current-password"
          name="currentPassword"
          type="password"
          label="Current password"
          autoComplete="current-password"
          required
          error={state.issues.currentPassword}
        />
      ) : null}
      <TextField
        id="new-password"
        name="password"
        type="password"
        label="New password"
        autoComplete="new-password"
        required
        hint="At least 12 characters."
        error={state.issues.password}
      />
      <div>
        <SubmitButton variant="plain" pendingText="Changing…">
          {hasPassword ? "Change password" : "Set password"}
        </SubmitButton>
      </div>
    </form>
  );
}
