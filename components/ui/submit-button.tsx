"use client";

import { useFormStatus } from "react-dom";
import { type ReactNode, useEffect, useRef } from "react";
import { focusInvalid } from "./focus-invalid";
import { buttonClass, type ButtonLook } from "./button";

interface Props extends ButtonLook {
  children: ReactNode;
  /** What is being done, shown while the form is being sent: "Saving…". */
  pendingText: string;
  className?: string;
  disabled?: boolean;
}

/**
 * Submits its form once: while the answer is awaited it cannot be pressed again and says what it is doing. When the
 * form comes back with problems at its fields, the focus goes to the first of them.
 */
export function SubmitButton({ children, pendingText, variant = "primary", size, className, disabled }: Props) {
  const { pending } = useFormStatus();
  const ref = useRef<HTMLButtonElement>(null);
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !pending) focusInvalid(ref.current?.form);
    wasPending.current = pending;
  }, [pending]);
  return (
    <button
      ref={ref}
      type="submit"
      disabled={disabled}
      aria-disabled={pending || undefined}
      onClick={(event) => pending && event.preventDefault()}
      className={buttonClass({ variant, size }, className)}
    >
      <span aria-live="polite" className="inline-flex items-center gap-2">
        {pending ? pendingText : children}
      </span>
    </button>
  );
}
