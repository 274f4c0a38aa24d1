"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { Keyboard } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { CheckField } from "@/components/ui/field";

const STORED = "kimitsu.inbox-keys";
const KEYS = [
  ["J", "next call"],
  ["K", "previous call"],
  ["A", "approve; for a critical call, begin to: its value still has to be typed"],
  ["R", "reject, with a reason"],
  ["E", "edit and approve"],
  ["X", "select for a batch"],
  ["Esc", "back, or clear the selection"],
  ["?", "this map"],
] as const;

const listeners = new Set<() => void>();
const readSwitch = (): boolean => localStorage.getItem(STORED) !== "off";

function writeSwitch(isOn: boolean): void {
  localStorage.setItem(STORED, isOn ? "on" : "off");
  for (const listener of listeners) listener();
}

/** Other windows of this browser hear of it by the browser's own event. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

/** Single keys for the whole decision. They are off while somebody writes, in dialogs, with modifiers, and for who switched them off. */
export function InboxKeys() {
  const [isOpen, setOpen] = useState(false);
  const isOn = useSyncExternalStore(subscribe, readSwitch, () => true);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isEscape = event.key === "Escape";
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      if (isEscape) return press('[data-key="escape"]') || press('[data-key="escape-batch"]');
      if (!isOn || isWriting(event.target)) return;
      if (event.key === "?") setOpen(true);
      else if (!act(event.key.toLowerCase())) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [isOn]);
  return (
    <>
      <Button variant="quiet" size="icon" aria-label="Keyboard map" onClick={() => setOpen(true)} className="max-tablet:hidden">
        <Keyboard aria-hidden />
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Keys of the inbox" description="They work wherever nobody writes.">
        <dl className="grid grid-cols-[3rem_minmax(0,1fr)] gap-y-1.5">
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
          hint="Kept in this browser. Esc always works."
          checked={isOn}
          onChange={(event) => writeSwitch(event.target.checked)}
        />
      </Dialog>
    </>
  );
}

function act(key: string): boolean {
  if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
  if (key === "x") return press('[data-row]:has([aria-current="page"]) input[type="checkbox"]');
  return ["a", "r", "e"].includes(key) && press(`[data-key="${key}"]`);
}

/** The next or previous row; from a card that is not in the list, the first. */
function move(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("[data-row] > a")];
  const current = links.findIndex((link) => link.getAttribute("aria-current") === "page");
  const target = links[current === -1 ? 0 : current + by];
  if (!target) return false;
  target.scrollIntoView({ block: "nearest" });
  target.click();
  return true;
}

function press(selector: string): boolean {
  const found = [...document.querySelectorAll<HTMLElement>(selector)].find((element) => element.checkVisibility());
  found?.click();
  return found !== undefined;
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isButtonLike = target instanceof HTMLInputElement && ["checkbox", "radio", "button", "submit"].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && !isButtonLike);
}
