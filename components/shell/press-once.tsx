"use client";

import { useEffect } from "react";

/**
 * So long the control that a dialog gave the focus back to takes no press: the second of two Enters was meant for the
 * dialog.
 */
const GIVEN_BACK_MS = 500;
const PRESSABLE = "button, a[href], summary, input, [role^=menuitem]";
const TYPED = new Set(["button", "submit", "reset", "checkbox", "radio", "file", "image", "color", "range"]);

let given: { to: Element | null; at: number } = { to: null, at: 0 };

/**
 * A held Enter or Space presses what it began on, and nothing that comes under it: the button that took the other's
 * place, the field of a dialog that it opened, or what was focused before the dialog that it closed.
 */
export function PressOnce() {
  useEffect(() => {
    const following = new AbortController();
    const listen = { capture: true, signal: following.signal };
    // On the window, before the page's own listeners hear of it.
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

/** It is told a moment after the browser has given the focus back. */
function onClose(event: Event): void {
  if (event.target instanceof HTMLDialogElement) given = { to: document.activeElement, at: performance.now() };
}
