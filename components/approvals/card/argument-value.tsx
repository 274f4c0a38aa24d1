"use client";

import { Fragment, type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import type { ShownValue } from "@/lib/approvals/view/show-arguments";
import { SeenMark } from "./seen";
import { ShownText } from "./shown-text";

/** How much of a folded value is shown. */
const PREVIEW_LENGTH = 240;
const PREVIEW_ITEMS = 8;
const OLD_LENGTH_MAX = 600;

interface Props {
  value: ShownValue;
  /** Folded at first; once opened, it is shown in full. */
  isLong: boolean;
  sameAs: string | null;
  part: string;
  /** For a list: the positions of its new items. */
  newItems: readonly number[];
}

/** One argument, with the mark of its end: in a list, after the last item. */
export function ArgumentValue({ value, isLong, sameAs, part, newItems }: Props) {
  const mark = <SeenMark part={part} />;
  switch (value.kind) {
    case "redacted":
      return (
        <span className="inline-block rounded-[4px] border border-dashed border-edge bg-sunken px-2 text-ink-2">
          <code className="wrap-anywhere">
            {value.what === "secret" ? "secret" : `${value.what}, hidden`} ·{" "}
            {value.length > 0 ? `${value.length} characters · ` : ""}fingerprint {value.fingerprint}
            {sameAs ? ` · same value as in ${sameAs}` : ""}
          </code>
          {mark}
        </span>
      );
    case "plain":
      return (
        <code className="wrap-anywhere">
          {value.text}
          {mark}
        </code>
      );
    case "text":
      return (
        <Foldable
          isLong={isLong}
          opens={`Show all ${value.length.toLocaleString("en")} characters`}
          preview={
            <>
              &quot;
              <ShownText text={value.text.slice(0, PREVIEW_LENGTH)} />…
            </>
          }
        >
          &quot;
          <ShownText text={value.text} />
          &quot;
          {mark}
        </Foldable>
      );
    case "list":
      return <List items={value.items} isLong={isLong} newItems={newItems} mark={mark} />;
  }
}

function List({
  items,
  isLong,
  newItems,
  mark,
}: {
  items: readonly string[];
  isLong: boolean;
  newItems: readonly number[];
  mark: ReactNode;
}) {
  const isNew = new Set(newItems);
  const print = (shown: readonly string[]) =>
    shown.map((item, place) => (
      // eslint-disable-next-line react/no-array-index-key -- the same value may stand in a list twice
      <Fragment key={place}>
        {place > 0 ? " " : ""}
        <span
          className={classNames(
            "mr-1.5 inline-block max-w-full",
            isNew.has(place) && "font-semibold underline decoration-medium underline-offset-3",
          )}
        >
          <ShownText text={item} />
        </span>
      </Fragment>
    ));
  return (
    <div className="grid gap-0.5">
      <span className="text-sm text-ink-3">
        {items.length === 1 ? "1 item" : `${items.length.toLocaleString("en")} items`}
      </span>
      <Foldable
        isLong={isLong}
        opens={`Show all ${items.length.toLocaleString("en")} items`}
        preview={<>{print(items.slice(0, PREVIEW_ITEMS))} …</>}
      >
        {print(items)}
        {mark}
      </Foldable>
    </div>
  );
}

/** The value that the last approved call had here. */
export function ValueBefore({ text }: { text: string }) {
  return (
    <Foldable
      isLong={text.length > OLD_LENGTH_MAX}
      opens={`Show all ${text.length.toLocaleString("en")} characters of the old value`}
      preview={
        <>
          <ShownText text={text.slice(0, PREVIEW_LENGTH)} />…
        </>
      }
    >
      <ShownText text={text} />
    </Foldable>
  );
}

function Foldable({
  isLong,
  opens,
  preview,
  children,
}: {
  isLong: boolean;
  opens: string;
  preview: ReactNode;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const value = <code className="whitespace-pre-wrap wrap-anywhere">{isLong && !isOpen ? preview : children}</code>;
  if (!isLong) return value;
  return (
    <span className="grid justify-items-start gap-1.5">
      {value}
      <Button size="small" data-fold aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Fold" : opens}
      </Button>
    </span>
  );
}
