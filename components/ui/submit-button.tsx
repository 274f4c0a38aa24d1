"use client";

import { useFormStatus } from "react-dom";
import type { ReactNode } from "react";
import { buttonClass, type ButtonLook } from "./button";

interface Props extends ButtonLook {
  children: ReactNode;
  /** What is being done, shown while the form is on its way: "Saving…". */
  pendingText: string;
  className?: string;
  disabled?: boolean;
}

/** Submits its form once: while the answer is awaited it cannot be pressed again and says what it is doing. */
export function SubmitButton({ children, pendingText, variant = "primary", size, className, disabled }: Props) {
  const { pending } = useFormStatus();
  return (
    <button
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
