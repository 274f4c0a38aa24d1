"use client";

import { useEffect, useId, useRef, type ReactNode } from "react";
import { X } from "lucide-react";
import { Button } from "./button";

interface Props {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus in, gives it back on close, and closes on Escape. */
export function Dialog({ open, onClose, title, description, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);

  return (
    <dialog
      ref={ref}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-text` : undefined}
      onClose={onClose}
      // Browsers that know it also close the dialog on a press beside it.
      closedby="any"
      className="m-auto text-left whitespace-normal w-[min(30rem,calc(100vw-2rem))] rounded-lg border border-line bg-panel text-ink shadow-float max-tablet:mb-0 max-tablet:max-h-[92dvh] max-tablet:w-full max-tablet:max-w-full max-tablet:scroll-pb-20 max-tablet:rounded-b-none open:arrives"
    >
      {open ? (
        <div className="grid gap-4 p-5">
          <div className="grid min-w-0 gap-1 pr-9">
            <h2 id={`${id}-title`} className="text-lg font-semibold wrap-anywhere">
              {title}
            </h2>
            {description ? (
              <div id={`${id}-text`} className="text-ink-2">
                {description}
              </div>
            ) : null}
          </div>
          {children}
          {/* Last in order, so that the focus begins at the first field or at the harmless button. */}
          <Button
            variant="quiet"
            size="icon"
            className="absolute top-3.5 right-3.5"
            aria-label="Close"
            onClick={() => ref.current?.close()}
          >
            <X aria-hidden />
          </Button>
        </div>
      ) : null}
    </dialog>
  );
}

/** On a phone they stay at the bottom edge, however long the form above is. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-end gap-2 pt-1 max-tablet:sticky max-tablet:bottom-0 max-tablet:-mx-5 max-tablet:-mb-5 max-tablet:grid max-tablet:grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] max-tablet:border-t max-tablet:border-line max-tablet:bg-panel max-tablet:px-5 max-tablet:pt-3 max-tablet:pb-[calc(env(safe-area-inset-bottom)+14px)]">
      {children}
    </div>
  );
}
