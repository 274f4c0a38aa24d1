"use client";

import { showToast } from "@/components/ui/toast";

/** The field that the reader is typing in, until they leave it on purpose. */
let field: HTMLElement | null = null;
let isShown = false;

export function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLSelectElement || isField(target);
}

function isField(target: EventTarget | null): target is HTMLElement {
  if (!(target instanceof HTMLElement)) return false;
  const isButtonLike =
    target instanceof HTMLInputElement && ["checkbox", "radio", "button", "submit"].includes(target.type);
  return (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !isButtonLike)
  );
}

/** A field in a dialog closes with it, on purpose: another person's decision never removes it. */
function enter(target: EventTarget | null): void {
  if (isField(target) && target.closest("dialog") === null) [field, isShown] = [target, false];
}

function leave(): void {
  field = null;
}

function onKey({ key, target }: KeyboardEvent): void {
  enter(target);
  if (key === "Escape" || key === "Tab" || (key === "Enter" && target instanceof HTMLInputElement)) leave();
}

/** Pressing, tabbing, submitting or going back leaves a field; another person's decision that removes it does not. */
export function followWriting(): () => void {
  const following = new AbortController();
  const listen = { capture: true, signal: following.signal };
  document.addEventListener("focusin", ({ target }) => enter(target), listen);
  document.addEventListener("keydown", onKey, listen);
  document.addEventListener("pointerdown", leave, listen);
  document.addEventListener("submit", leave, listen);
  return () => {
    following.abort();
    leave();
  };
}

/** Whether a key was meant for a field that was removed; if so, the reader is notified, once. */
export function isMeantForGone(key: string): boolean {
  if (field === null || field.isConnected || (key.length > 1 && key !== "Enter")) return false;
  if (!isShown)
    showToast("The field that you wrote in is gone. Letters do nothing until you click, or press Tab or Esc.");
  isShown = true;
  return true;
}
