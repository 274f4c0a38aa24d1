"use client";

import { type ReactNode, useEffect, useRef } from "react";

interface Props {
  className?: string;
  children: ReactNode;
}

/**
 * Around buttons that are replaced by other things: lost focus moves to what took its place, back to the button that
 * opened a form, to the one that closes the new content, or to the first that can be pressed. A person who used a
 * single key had no focus, and gets none.
 */
export function KeepFocus({ className, children }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = ref.current;
    if (!box) return;
    let isInside = false;
    let pressed: string | null = null;
    const onIn = ({ target }: FocusEvent) => {
      isInside = true;
      if (target instanceof HTMLButtonElement) pressed = target.dataset.key ?? "";
    };
    const onOut = ({ target }: FocusEvent) => {
      // Some browsers send a blur when the element is removed, others do not; only a person who moves the focus has
      // left.
      queueMicrotask(() => {
        if (target instanceof Node && target.isConnected && !box.contains(document.activeElement))
          [isInside, pressed] = [false, null];
      });
    };
    const watcher = new MutationObserver(() => {
      if (!isInside || document.activeElement !== document.body || pressed === null) return;
      const able = [...box.querySelectorAll<HTMLElement>("a[href], button:enabled")].filter((element) =>
        element.checkVisibility(),
      );
      (
        able.find((element) => element.dataset.key === pressed) ??
        able.find((element) => element.dataset.key?.startsWith("escape")) ??
        able[0]
      )?.focus({ preventScroll: true });
    });
    box.addEventListener("focusin", onIn);
    box.addEventListener("focusout", onOut);
    watcher.observe(box, { childList: true, subtree: true });
    return () => {
      watcher.disconnect();
      box.removeEventListener("focusin", onIn);
      box.removeEventListener("focusout", onOut);
    };
  }, []);
  return (
    <div ref={ref} className={className}>
      {children}
    </div>
  );
}
