"use server";

import { AuthError, CredentialsSignin } from "next-auth";
import { z } from "zod";
import { signIn } from "@/app/api/auth/auth";
import { enabledProviders } from "@/lib/people/session/providers";
import { safeNextPath } from "./next-path";
import { describeProblem, type Problem } from "./problem";

export interface SignInState {
  problem: Problem | null;
  /** Given back, so that only the password has to be typed again. */
  email: string;
}

const formSchema = z.object({ email: z.string().trim().min(1).max(254), password: z.string().min(1).max(1024) });

/** Redirects to the requested page, or returns why not. The password is never part of what is returned. */
export async function signInWithPassword(_state: SignInState, form: FormData): Promise<SignInState> {
  const given = formSchema.safeParse(
    form instanceof FormData ? { email: form.get("email"), password: form.get("password") } : {},
  );
  if (!given.success) return { problem: describeProblem("credentials"), email: "" };
  try {
    await signIn("credentials", { ...given.data, redirectTo: safeNextPath(textOf(form.get("next"))) });
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    // Text that is not an address may be the password, typed into the wrong field; it is not sent back.
    return {
      problem: describeProblem(codeOf(error), factsOf(error)),
      email: given.data.email.includes("@") ? given.data.email : "",
    };
  }
  return { problem: null, email: given.data.email };
}

/** Redirects to a provider's own page; the answer arrives through /api/auth. */
export async function signInWithProvider(form: FormData): Promise<void> {
  // An action can be called by anyone with anything.
  if (!(form instanceof FormData)) return;
  const provider = enabledProviders().find(({ id }) => id === form.get("provider"));
  if (provider) await signIn(provider.id, { redirectTo: safeNextPath(textOf(form.get("next"))) });
}

function textOf(value: FormDataEntryValue | null): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function codeOf(error: AuthError): string {
  return error instanceof CredentialsSignin ? error.code : error.type;
}

function factsOf(error: AuthError): { retryAfterS?: number } {
  return "retryAfterS" in error && typeof error.retryAfterS === "number" ? { retryAfterS: error.retryAfterS } : {};
}
