"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { X } from "lucide-react";
import { Button } from "./button";

/*
 * Toasts are written here because the usual packages put a style element into the page, which our content security
 * policy refuses. The list lives in the module, as one page has one place for them.
 */
interface Toast {
  id: number;
  text: string;
  failed: boolean;
}

const SHOWN_MS = 6_000;
const SHOWN_MAX = 4;
const none: readonly Toast[] = [];
let toasts: readonly Toast[] = none;
let nextId = 1;
const listeners = new Set<() => void>();

function publish(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

export function showToast(text: string, options: { failed?: boolean } = {}) {
  publish([...toasts, { id: nextId++, text, failed: options.failed ?? false }].slice(-SHOWN_MAX));
}

function dismiss(id: number) {
  publish(toasts.filter((toast) => toast.id !== id));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A failure stays until it is dismissed; a success leaves after a while, unless the pointer or the focus rests on it. */
function ToastCard({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held || toast.failed) return;
    const timer = setTimeout(() => dismiss(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, toast]);
  return (
    <li
      className="arrives pointer-events-auto flex items-start gap-2 rounded-lg border border-line-strong bg-panel py-2 pr-1.5 pl-3.5 shadow-float"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p className="min-w-0 flex-1 py-1 wrap-anywhere">
        {toast.failed ? <strong className="mr-1.5 font-medium text-critical">Failed.</strong> : null}
        {toast.text}
      </p>
      <Button variant="quiet" size="icon" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
        <X aria-hidden />
      </Button>
    </li>
  );
}

export function Toaster() {
  const shown = useSyncExternalStore(subscribe, () => toasts, () => none);
  return (
    <section aria-label="Notifications" aria-live="polite" className="pointer-events-none fixed inset-x-3 bottom-18 z-50 tablet:right-4 tablet:bottom-4 tablet:left-auto tablet:w-88">
      <ol className="grid gap-2">
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  );
}
