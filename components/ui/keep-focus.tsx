"use client";

import { type ReactNode, useEffect, useRef } from "react";

interface Props {
  className?: string;
  children: ReactNode;
}

/**
 * Around buttons that give way to other things: focus that stood on what is gone goes on to what took its place, back
 * to the button that opened a form, or to the one that closes what came, or to the first that can be pressed. Whoever
 * came by a single key had it nowhere, and keeps it there.
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
      // Some browsers tell of a blur when the element is taken away, others do not; only who leaves by himself has
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
