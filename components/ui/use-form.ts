"use client";

import { useActionState, useEffect, useRef } from "react";
import { type FormAction, type FormState, IDLE } from "./form-state";
import { showToast } from "./toast";

/** A form's state and action. When it is done, says so in a toast and lets the caller close what held the form. */
export function useForm(action: FormAction, onDone?: (state: FormState) => void): [FormState, (form: FormData) => void, boolean] {
  const [state, run, pending] = useActionState(action, IDLE);
  const told = useRef(state);
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  });
  useEffect(() => {
    if (told.current === state) return;
    told.current = state;
    if (state.status !== "done") return;
    if (!state.secret) showToast(state.message);
    done.current?.(state);
  }, [state]);
  return [state, run, pending];
}
