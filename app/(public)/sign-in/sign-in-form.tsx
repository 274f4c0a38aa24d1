"use client";

import { useActionState } from "react";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { signInWithPassword, type SignInState } from "./actions";
import type { Problem } from "./problem";

interface Props {
  nextPath: string;
  /** What the address says went wrong before, for instance at a provider. */
  earlier: Problem | null;
}

export function SignInForm({ nextPath, earlier }: Props) {
  const [state, action] = useActionState<SignInState, FormData>(signInWithPassword, { problem: earlier, email: "" });
  return (
    <form action={action} className="grid gap-4">
      {state.problem ? (
        <Notice tone="failed" title={state.problem.title}>
          <p>{state.problem.text}</p>
        </Notice>
      ) : null}
      <input type="hidden" name="next" value={nextPath} />
      <TextField id="email" name="email" type="email" label="E-mail" autoComplete="username" required maxLength={254} defaultValue={state.email} autoFocus={!state.email} />
      <TextField id="password" name="password" type="password" label="Password" autoComplete="current-password" required maxLength={1024} />
      <SubmitButton pendingText="Signing in…" className="mt-1 w-full max-tablet:h-11">
        Sign in
      </SubmitButton>
    </form>
  );
}
