"use client";

import { useEffect } from "react";

/**
 * For this long the control that got the focus back from a dialog ignores presses: the second of two Enters was meant
 * for the dialog.
 */
const GIVEN_BACK_MS = 500;
const PRESSABLE = "button, a[href], summary, input, [role^=menuitem]";
const TYPED = new Set(["button", "submit", "reset", "checkbox", "radio", "file", "image", "color", "range"]);

let given: { to: Element | null; at: number } = { to: null, at: 0 };

/**
 * A held Enter or Space presses what it began on, and nothing that appears under it: a button in the same place, the
 * field of a dialog that it opened, or what was focused before the dialog that it closed.
 */
export function PressOnce() {
  useEffect(() => {
    const following = new AbortController();
    const listen = { capture: true, signal: following.signal };
    // On the window, before the page's own listeners.
    window.addEventListener("keydown", onKey, listen);
    window.addEventListener("close", onClose, listen);
    return () => following.abort();
  }, []);
  return null;
}

function onKey(event: KeyboardEvent): void {
  const { target, repeat } = event;
  if (!(target instanceof HTMLElement) || !isPress(event.key, target)) return;
  if (!repeat && (target !== given.to || performance.now() - given.at > GIVEN_BACK_MS)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Space writes in a field, and Enter sends its form. */
function isPress(key: string, target: HTMLElement): boolean {
  if (!target.matches(PRESSABLE)) return false;
  return key === "Enter" || (key === " " && !(target instanceof HTMLInputElement && !TYPED.has(target.type)));
}

/** The event arrives a moment after the browser has returned the focus. */
function onClose(event: Event): void {
  if (event.target instanceof HTMLDialogElement) given = { to: document.activeElement, at: performance.now() };
}
