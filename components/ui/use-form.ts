"use client";

import { unstable_rethrow } from "next/navigation";
import { useActionState } from "react";
import { type FormAction, type FormState, IDLE, keptValues } from "./form-state";
import { showToast } from "./toast";

const LOST =
  "The connection broke before an answer came. It may or may not have been done; look before you do it again.";

/**
 * A form's state and action. When it is done, shows a toast and lets the caller close what held the form. Both happen
 * as soon as the answer arrives and not in an effect: the answer may bring a page without the form.
 */
export function useForm(
  action: FormAction,
  onDone?: (state: FormState) => void,
): [FormState, (form: FormData) => void] {
  const [state, run] = useActionState(async (before: FormState, form: FormData) => {
    const after = await sendSafely(action, before, form);
    if (after?.status === "done") {
      if (!after.secret) showToast(after.message);
      onDone?.(after);
    }
    // An action that redirects answers with nothing; the form then keeps what it had until the page is gone.
    return after ?? before;
  }, IDLE);
  return [state, run];
}

/**
 * What the server refuses comes as an answer. Without an answer the outcome is unknown, and the form stays, to say so.
 */
async function sendSafely(action: FormAction, before: FormState, form: FormData): Promise<FormState> {
  try {
    return await action(before, form);
  } catch (error) {
    unstable_rethrow(error);
    return { status: "failed", message: LOST, issues: {}, values: keptValues(form) };
  }
}
