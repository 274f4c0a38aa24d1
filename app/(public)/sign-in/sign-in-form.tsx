"use client";

import { unstable_rethrow } from "next/navigation";
import { useActionState, useSyncExternalStore } from "react";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { signInWithPassword, type SignInState } from "./actions";
import { describeProblem, type Problem } from "./problem";

interface Props {
  nextPath: string;
  /** What the address says went wrong before, for instance at a provider. */
  earlier: Problem | null;
}

const subscribeToNothing = () => () => undefined;

/**
 * What the server refuses comes as an answer. Without one the outcome is unknown, and the form stays with what was
 * typed, except the password.
 */
async function signInSafely(before: SignInState, form: FormData): Promise<SignInState> {
  try {
    return await signInWithPassword(before, form);
  } catch (error) {
    unstable_rethrow(error);
    return { problem: describeProblem("answer_lost"), email: String(form.get("email") ?? "") };
  }
}

export function SignInForm({ nextPath, earlier }: Props) {
  // Without scripts the form itself posts to the server, which only a server action supports.
  const [answered, post] = useActionState<SignInState, FormData>(signInWithPassword, { problem: earlier, email: "" });
  const [state, send] = useActionState<SignInState, FormData>(signInSafely, answered);
  const hasScripts = useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
  return (
    <form action={hasScripts ? send : post} className="grid gap-4">
      {state.problem ? (
        <Notice tone="failed" title={state.problem.title}>
          <p>{state.problem.text}</p>
        </Notice>
      ) : null}
      <input type="hidden" name="next" value={nextPath} />
      <TextField
        id="email"
        name="email"
        type="email"
        label="E-mail"
        autoComplete="username"
        required
        maxLength={254}
        defaultValue={state.email}
        autoFocus={!state.email}
      />
      <TextField
        id="password"
        name="password"
        type="password"
        label="Password"
        autoComplete="current-password"
        required
        maxLength={1024}
      />
      <SubmitButton pendingText="Signing in…" className="mt-1 w-full max-tablet:h-11">
        Sign in
      </SubmitButton>
    </form>
  );
}
