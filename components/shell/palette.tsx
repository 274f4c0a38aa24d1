"use client";

import { useRouter } from "next/navigation";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Search } from "lucide-react";
import { applyTheme, type SavePreferences } from "@/components/theme/theme";
import { classNames } from "@/components/ui/class-names";
import { isComposing } from "@/components/ui/is-composing";
import { canLeave } from "@/components/ui/online";
import { showToast } from "@/components/ui/toast";
import type { EarlyText } from "./early-text";
import { leaveFor } from "./leaving";
import { besides, filterKnown, findActive, keyOf, type PaletteGroup, type PaletteItem } from "./palette-items";
import { useFound } from "./use-found";

interface Props {
  pages: readonly { label: string; href: string }[];
  save: SavePreferences;
  /** Asked once, when the palette is there. */
  takeEarly: () => EarlyText;
  onClose: () => void;
}

/** One field that leads anywhere: pages, calls that wait, runs, workflows, tools, people, themes. */
export default function Palette({ pages, save, takeEarly, onClose }: Props) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState("");
  const [picked, setPicked] = useState<PaletteItem | null>(null);
  const isHasty = useRef(false);
  const { groups: found, isSearching, problem } = useFound(text);
  const known = filterKnown(pages, text);
  const groups: ShownGroup[] = [
    ...known.pages,
    ...found.map((group) => ({ ...group, isStale: isSearching })),
    ...known.themes,
  ];
  const items = groups.flatMap((group) => group.items);
  const open = groups.flatMap((group) => (group.isStale ? [] : group.items));
  const active = findActive({ items, open, picked, isSure: !isSearching || known.pages.length > 0 });
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // Only now does the field get the next key: more may have been typed since it was rendered.
    const { text: typed, isSent } = takeEarly();
    // eslint-disable-next-line react/set-state-in-effect -- it is known only when the field is there, and before that moment is over it must stand in it
    setText(typed);
    isHasty.current = isSent;
  }, [takeEarly]);
  useEffect(() => {
    // Newer browsers return a promise, which is not a clean-up function.
    void document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active, id]);

  async function choose(item: PaletteItem | undefined) {
    if (!item) return;
    dialog.current?.close();
    if (item.href) {
      if (!canLeave()) return;
      leaveFor(item.href);
      return router.push(item.href);
    }
    if (!item.theme) return;
    applyTheme(item.theme);
    const why = await save({ theme: item.theme }).catch(() => "The connection broke.");
    showToast(why === null ? item.label : `${item.label}, in this browser only: ${why}`);
  }
  useEffect(() => {
    // Enter before the answer applies to the answer's first entry. The list of the earlier text is ignored: it may show
    // another call with the same name.
    if (!isHasty.current || isSearching || text.trim() === "") return;
    isHasty.current = false;
    void choose(items[active]);
  });
  function onKeyDown(event: React.KeyboardEvent) {
    if (isComposing(event.nativeEvent)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPicked(besides(open, items[active], step));
    else if (event.key === "Enter" && active === -1) isHasty.current = isSearching;
    else if (event.key === "Enter") void choose(items[active]);
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      aria-label="Search"
      onClose={onClose}
      closedby="any"
      className="mx-auto mt-[12dvh] mb-auto w-[min(38rem,calc(100vw-1.5rem))] overflow-hidden rounded-lg border border-line-strong bg-panel text-left text-base whitespace-normal text-ink shadow-float open:arrives max-tablet:mt-3"
    >
      <div className="relative flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 stroke-[1.7] text-ink-3" />
        <input
          role="combobox"
          aria-label="Search pages, calls, runs, workflows and tools"
          aria-expanded={items.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active === -1 ? undefined : `${id}-${active}`}
          aria-autocomplete="list"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder="Go to a page, a call, a run, a workflow…"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPicked(null);
            isHasty.current = false;
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent outline-none max-tablet:text-[16px]"
        />
        <kbd aria-hidden className="rounded-[4px] border border-line-strong px-1.5 text-2xs text-ink-3">
          Esc
        </kbd>
        {isSearching ? <span aria-hidden className="working-bar absolute inset-x-0 -bottom-px h-0.5" /> : null}
      </div>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Found"
        className="max-h-[min(26rem,60dvh)] overflow-y-auto p-1.5"
      >
        {groups.map((group, index) => (
          <Group
            key={group.title}
            id={id}
            group={group}
            first={groups.slice(0, index).reduce((sum, before) => sum + before.items.length, 0)}
            active={active}
            onPoint={setPicked}
            onChoose={(item) => void choose(item)}
          />
        ))}
      </div>
      <p role="status" className="px-4 pb-2.5 text-sm text-ink-2 empty:hidden">
        {problem
          ? "The search failed; pages can still be chosen."
          : items.length === 0 && !isSearching
            ? `Nothing fits “${text.trim()}”.`
            : ""}
      </p>
    </dialog>
  );
}

interface ShownGroup extends PaletteGroup {
  /**
   * Found for the earlier text; it stays visible while an answer is awaited, so that nothing jumps, but its entries
   * cannot be opened.
   */
  isStale?: boolean;
}

interface GroupProps {
  id: string;
  group: ShownGroup;
  /** The place of its first entry among all. */
  first: number;
  active: number;
  onPoint: (item: PaletteItem) => void;
  onChoose: (item: PaletteItem) => void;
}

function Group({ id, group: { title, items, isStale = false }, first, active, onPoint, onChoose }: GroupProps) {
  return (
    <div role="group" aria-label={title}>
      <div aria-hidden className="px-2.5 pt-2 pb-1 text-xs text-ink-3">
        {title}
      </div>
      {items.map((item, index) => (
        // The keyboard is the field's: it moves through the entries and chooses one.
        <button
          type="button"
          key={keyOf(item)}
          id={`${id}-${first + index}`}
          role="option"
          tabIndex={-1}
          aria-selected={first + index === active}
          disabled={isStale}
          onPointerMove={() => onPoint(item)}
          onClick={() => onChoose(item)}
          className={classNames(
            "flex w-full cursor-pointer text-left flex-wrap items-baseline gap-x-3 rounded-sm px-2.5 py-1.5 transition-opacity disabled:cursor-default disabled:opacity-55 disabled:delay-200 max-tablet:py-2.5",
            first + index === active && "bg-accent-soft",
          )}
        >
          <span className="min-w-0 wrap-anywhere">{item.label}</span>
          <span className="ml-auto min-w-0 text-sm text-ink-2 wrap-anywhere">{item.detail}</span>
          {item.about ? (
            <span title={item.about} className="w-full truncate text-sm text-ink-3">
              {item.about}
            </span>
          ) : null}
        </button>
      ))}
    </div>
  );
}
