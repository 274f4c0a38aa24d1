"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import type { ComparedArgument } from "@/lib/store/queries/compare-arguments";
import type { ShownValue } from "@/lib/store/queries/show-arguments";
import { SeenMark } from "./seen";
import { ShownText } from "./shown-text";

/** Longer texts are folded, with their length; opened, they stand there in full. */
const FOLD_LENGTH = 600;
const PREVIEW_LENGTH = 240;
const ROWS_UNFOLDED = 40;
/** The bar is drawn inside, so that names and values begin at one line whether they differ or not. */
const CHANGED = "bg-new shadow-[inset_3px_0_0_var(--color-medium)]";

interface Props {
  rows: readonly ComparedArgument[];
  gone: readonly { path: string; was: string }[];
}

/** The arguments as they will be sent. What differs from the last approved call is marked, with the old value under it. */
export function ArgumentTable({ rows, gone }: Props) {
  const [isOpen, setOpen] = useState(rows.length <= ROWS_UNFOLDED);
  const shown = isOpen ? rows : rows.slice(0, ROWS_UNFOLDED);
  if (rows.length === 0 && gone.length === 0) return <p className="rounded-lg border border-line px-3.5 py-2.5 text-ink-2">The call has no arguments.</p>;
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <table className="block w-full text-left">
        <caption className="sr-only">Arguments, exactly as they will be sent</caption>
        <tbody className="block">
          {shown.map((row) => (
            <tr key={row.path} className={classNames("grid border-b border-line last:border-b-0 tablet:grid-cols-[minmax(0,1fr)_minmax(0,2.6fr)]", row.change && CHANGED)}>
              <th scope="row" className="px-3.5 pt-2 font-normal text-ink-2 tablet:pb-2">
                <code className="wrap-anywhere">
                  <ShownText text={row.path} />
                </code>
              </th>
              <td className="min-w-0 px-3.5 pt-1 pb-2 tablet:pt-2">
                <Value value={row.value} sameAs={row.sameAs} part={row.path} />
                {row.change ? <Change change={row.change} /> : null}
              </td>
            </tr>
          ))}
          {gone.map(({ path, was }) => (
            <tr key={path} className={classNames("grid border-b border-line last:border-b-0 tablet:grid-cols-[minmax(0,1fr)_minmax(0,2.6fr)]", CHANGED)}>
              <th scope="row" className="px-3.5 pt-2 font-normal text-ink-2 tablet:pb-2">
                <code className="wrap-anywhere">{path}</code>
              </th>
              <td className="px-3.5 pt-1 pb-2 text-sm text-ink-2 wrap-anywhere tablet:pt-2">not sent this time; last approved call: <code>{was}</code></td>
            </tr>
          ))}
        </tbody>
      </table>
      {isOpen ? null : (
        <div className="border-t border-line p-2">
          <Button size="small" onClick={() => setOpen(true)}>
            Show {rows.length - ROWS_UNFOLDED} more arguments
          </Button>
        </div>
      )}
    </div>
  );
}

function Change({ change: { was, firstTimeIn } }: { change: NonNullable<ComparedArgument["change"]> }) {
  return (
    <p className="text-sm text-ink-2 wrap-anywhere">
      {was === null ? "not in the last approved call" : <>last approved call: <code className="whitespace-pre-wrap"><ShownText text={was} /></code></>}
      {firstTimeIn === null ? null : `; first time in ${firstTimeIn} approved calls`}
    </p>
  );
}

function Value({ value, sameAs, part }: { value: ShownValue; sameAs: string | null; part: string }) {
  if (value.kind === "redacted") {
    return (
      <span className="inline-block rounded-[4px] border border-dashed border-edge bg-sunken px-2 text-ink-2">
        <code className="wrap-anywhere">
          {value.what === "secret" ? "secret" : `${value.what}, hidden`} · {value.length > 0 ? `${value.length} characters · ` : ""}fingerprint {value.fingerprint}
          {sameAs ? ` · same value as in ${sameAs}` : ""}
        </code>
        <SeenMark part={part} />
      </span>
    );
  }
  if (value.kind === "plain") {
    return (
      <code className="wrap-anywhere">
        {value.text}
        <SeenMark part={part} />
      </code>
    );
  }
  return value.text.length > FOLD_LENGTH ? <Folded text={value.text} length={value.length} part={part} /> : <Whole text={value.text} part={part} />;
}

function Whole({ text, part }: { text: string; part: string }) {
  return (
    <code className="whitespace-pre-wrap wrap-anywhere">
      &quot;
      <ShownText text={text} />
      &quot;
      <SeenMark part={part} />
    </code>
  );
}

function Folded({ text, length, part }: { text: string; length: number; part: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="grid justify-items-start gap-1.5">
      {isOpen ? (
        <Whole text={text} part={part} />
      ) : (
        <code className="whitespace-pre-wrap wrap-anywhere">
          &quot;
          <ShownText text={text.slice(0, PREVIEW_LENGTH)} />…
        </code>
      )}
      <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Fold" : `Show all ${length.toLocaleString("en")} characters`}
      </Button>
    </div>
  );
}
