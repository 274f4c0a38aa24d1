"use client";

import { useEffect, useRef, useSyncExternalStore } from "react";
import { X } from "lucide-react";
import { Button } from "./button";

/*
 * Toasts are written here because the usual packages put a style element into the page, which our content security
 * policy refuses. The list lives in the module, as one page has one place for them. They only ever say that something was
 * done: a failure stands at its form, where it can be read for as long as it takes.
 */
interface Toast {
  id: number;
  text: string;
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

export function showToast(text: string) {
  publish([...toasts, { id: nextId++, text }].slice(-SHOWN_MAX));
}

function dismiss(id: number) {
  publish(toasts.filter((toast) => toast.id !== id));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Leaves after a while, but not while the pointer or the focus rests on it. */
function ToastCard({ toast }: { toast: Toast }) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const card = ref.current;
    if (!card) return;
    let timer = setTimeout(dismiss, SHOWN_MS, toast.id);
    const hold = () => clearTimeout(timer);
    const release = () => {
      hold();
      timer = setTimeout(dismiss, SHOWN_MS, toast.id);
    };
    const events = { pointerenter: hold, focusin: hold, pointerleave: release, focusout: release };
    for (const [name, listener] of Object.entries(events)) card.addEventListener(name, listener);
    return () => {
      hold();
      for (const [name, listener] of Object.entries(events)) card.removeEventListener(name, listener);
    };
  }, [toast.id]);
  return (
    <li ref={ref} className="arrives pointer-events-auto flex items-start gap-2 rounded-lg border border-line-strong bg-panel py-2 pr-1.5 pl-3.5 shadow-float">
      <p className="min-w-0 flex-1 py-1 wrap-anywhere">{toast.text}</p>
      <Button variant="quiet" size="icon" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
        <X aria-hidden />
      </Button>
    </li>
  );
}

/** At the top, because what is done next is at the foot of a card, and on a phone at the foot of every page. */
export function Toaster() {
  const shown = useSyncExternalStore(subscribe, () => toasts, () => none);
  return (
    <section aria-label="Notifications" aria-live="polite" className="pointer-events-none fixed inset-x-3 top-2 z-50 mx-auto max-w-88">
      <ol className="grid gap-2">
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  );
}
