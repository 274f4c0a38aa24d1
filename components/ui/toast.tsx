"use client";

import { type MouseEvent, type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { X } from "lucide-react";
import { Button } from "./button";

/*
 * Toasts are written here because the usual packages put a style element into the page, which our content security
 * policy refuses. The list is in the module, as one page has one place for them. They only say that something was done:
 * a failure is shown at its form, where it stays.
 */
interface Toast {
  id: number;
  text: string;
  /** For screen readers only, because the page itself shows it. */
  isSpoken: boolean;
}

const SHOWN_MS = 6_000;
const SHOWN_MAX = 3;
const none: readonly Toast[] = [];
let toasts: readonly Toast[] = none;
let nextId = 1;
const listeners = new Set<() => void>();

function publish(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

/** A repeated message replaces the earlier one: it is announced again, and does not pile up. */
function add(text: string, isSpoken: boolean) {
  const others = toasts.filter((toast) => toast.text !== text);
  publish([...others, { id: nextId++, text, isSpoken }].slice(-SHOWN_MAX));
}

export function showToast(text: string) {
  add(text, false);
}

/** For screen readers only: what everybody else sees where it happened. */
export function announce(text: string) {
  add(text, true);
}

function dismiss(id: number) {
  publish(toasts.filter((toast) => toast.id !== id));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Disappears after a while, but not while it has the pointer or the focus. */
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
  const close = (event: MouseEvent) => {
    // By keyboard: the focus must not be lost with the button.
    if (event.detail === 0) document.getElementById("content")?.focus({ preventScroll: true });
    dismiss(toast.id);
  };
  return (
    <li
      ref={ref}
      className={
        toast.isSpoken
          ? "sr-only"
          : "arrives [--arrives-from:-3px] pointer-events-auto flex items-center gap-1 rounded-lg border border-line-strong bg-panel py-1 pr-1 pl-3 shadow-float"
      }
    >
      <p className="min-w-0 flex-1 py-1.5 text-sm wrap-anywhere">{toast.text}</p>
      {toast.isSpoken ? null : (
        <Button variant="quiet" size="icon" aria-label="Dismiss" onClick={close}>
          <X aria-hidden />
        </Button>
      )}
    </li>
  );
}

/**
 * Placed where nothing is read or pressed next: in the empty part of a wide navigation, over the end of the list where
 * it is narrow, and on a phone above whatever is at the foot. What must stay free is marked with `data-foot`.
 */
export function Toaster() {
  const ref = useRef<HTMLElement>(null);
  const shown = useSyncExternalStore(
    subscribe,
    () => toasts,
    () => none,
  );
  useClearOfFeet(
    ref,
    shown.some(({ isSpoken }) => !isSpoken),
  );
  return (
    <section
      ref={ref}
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed z-50 pb-2 max-tablet:inset-x-3 max-tablet:mx-auto max-tablet:max-w-88 tablet:left-[82px] tablet:w-63 wide:left-2.5 wide:w-47 print:hidden"
    >
      <ol className="grid gap-1.5">
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  );
}

/**
 * What is at the foot appears, disappears and grows while a toast is shown (a form opens, calls are picked), so it is
 * measured with each frame.
 */
function useClearOfFeet(ref: RefObject<HTMLElement | null>, isShown: boolean) {
  useLayoutEffect(() => {
    const toaster = ref.current;
    if (!toaster || !isShown) return;
    let frame = 0;
    const place = () => {
      toaster.style.setProperty("bottom", `${heightOfFeet(toaster)}px`);
      frame = requestAnimationFrame(place);
    };
    place();
    return () => cancelAnimationFrame(frame);
  }, [ref, isShown]);
}

/** From the lower edge up: past each that the toasts would otherwise cover. */
function heightOfFeet(toaster: HTMLElement): number {
  const { left, right, height } = toaster.getBoundingClientRect();
  const feet = [...document.querySelectorAll("[data-foot]")]
    .map((foot) => foot.getBoundingClientRect())
    .filter((foot) => foot.height > 0 && foot.left < right && foot.right > left);
  let line = innerHeight;
  for (const { top, bottom } of feet.toSorted((one, other) => other.bottom - one.bottom)) {
    if (bottom > line - height) line = Math.min(line, top);
  }
  return innerHeight - line;
}
