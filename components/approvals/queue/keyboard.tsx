"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { Keyboard } from "lucide-react";
import { followLinks, isLeaving, showLeaving } from "@/components/shell/leaving";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import type { SavePreferences } from "@/components/theme/theme";
import { CheckField } from "@/components/ui/field";
import { isComposing } from "@/components/ui/is-composing";
import { usePreference } from "@/components/ui/use-preference";
import { currentRow, isCardAwaited, moveInQueue } from "./queue-place";
import { followWriting, isMeantForGone, isWriting } from "./writing";

const KEYS = [
  ["J", "next call"],
  ["K", "previous call"],
  ["A", "approve; for a critical call, begin to: its value still has to be typed"],
  ["R", "reject, with a reason"],
  ["E", "edit and approve"],
  ["N", "not now, with a note"],
  ["C", "comment with the approval"],
  ["X", "select for a batch"],
  ["/", "search the queue"],
  ["Ctrl ↵", "send a reason or a note; also ⌘↵"],
  ["Esc", "back, or clear the selection"],
  ["Ctrl K", "search, and go anywhere; also ⌘K"],
  ["?", "this map"],
] as const;

/**
 * Single keys for the whole decision. They are off while somebody types, also when the field disappears meanwhile, in
 * dialogs, with modifiers, and for people who switched them off.
 */
export function InboxKeys({ initial, save }: { initial: boolean; save: SavePreferences }) {
  const { push } = useRouter();
  const [isOpen, setOpen] = useState(false);
  const { value: isOn, problem, change } = usePreference(initial, (keys) => save({ keys }));
  useEffect(followWriting, []);
  useEffect(followLinks, []);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isEscape = event.key === "Escape";
      if (
        event.defaultPrevented ||
        isComposing(event) ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.repeat
      )
        return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      if (isEscape) return press('[data-key="escape"]') || press('[data-key="escape-batch"]');
      if (isWriting(event.target)) return;
      if (isMeantForGone(event.key)) return event.preventDefault();
      if (!isOn) return;
      if (event.key === "?") setOpen(true);
      else if (event.key === "/") document.querySelector<HTMLElement>('[data-key="/"]')?.focus();
      // A capital begins a sentence; with Caps Lock no Shift is held.
      else if (event.shiftKey) return;
      else if (!act(event.key.toLowerCase(), push)) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [isOn, push]);
  return (
    <>
      <Button
        variant="quiet"
        size="icon"
        aria-label="Keyboard map"
        onClick={() => setOpen(true)}
        className="max-tablet:hidden"
      >
        <Keyboard aria-hidden />
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Keys of the inbox"
        description="They work wherever nobody writes."
      >
        <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-y-1.5">
          {KEYS.map(([key, words]) => (
            <div key={key} className="contents">
              <dt>
                <kbd className="rounded-[4px] border border-line-strong px-1.5">{key}</kbd>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
        <CheckField
          label="Single keys are on"
          hint="Kept with your account. Esc always works."
          checked={isOn}
          onChange={(event) => change(event.target.checked)}
        />
        {problem ? (
          <p role="alert" className="text-sm text-critical">
            {problem}
          </p>
        ) : null}
      </Dialog>
    </>
  );
}

function act(key: string, open: (address: string) => void): boolean {
  if (key === "j" || key === "k") return moveInQueue(key === "j" ? 1 : -1, open);
  if (key === "x") return press(`${currentRow()} input[type="checkbox"]`);
  // Nothing is done to a card that the reader has already left.
  if (isCardAwaited() || !["a", "r", "e", "n", "c"].includes(key)) return false;
  if (!isLeaving()) return press(`[data-key="${key}"]`);
  showLeaving();
  return true;
}

function press(selector: string): boolean {
  const found = [...document.querySelectorAll<HTMLElement>(selector)].find((element) => element.checkVisibility());
  found?.click();
  return found !== undefined;
}
