"use client";

import { Fragment, type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import type { ArgumentChange } from "@/lib/approvals/view/compare-arguments";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { ArgumentValue, ValueBefore } from "./argument-value";
import { ShownText } from "./shown-text";

const GONE_UNFOLDED = 5;
/** The bar is an inset shadow, so that names and values stay aligned whether they differ or not. */
const CHANGED = "bg-new shadow-[inset_3px_0_0_var(--color-medium)]";

interface Props {
  rows: ApprovalCard["arguments"];
  gone: ApprovalCard["gone"];
}

/**
 * The arguments as they will be sent. What differs from the last approved call is marked, with the old value under it.
 */
export function ArgumentTable({ rows, gone }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isGoneOpen, setGoneOpen] = useState(gone.length <= GONE_UNFOLDED);
  const below = rows.filter(({ isBelow }) => isBelow).length;
  const shown = isOpen ? rows : rows.filter(({ isBelow }) => !isBelow);
  if (rows.length === 0 && gone.length === 0)
    return <p className="rounded-lg border border-line px-3.5 py-2.5 text-ink-2">The call has no arguments.</p>;
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <table className="block w-full text-left">
        <caption className="sr-only">Arguments, exactly as they will be sent</caption>
        <tbody className="block">
          {shown.map((row) => (
            <Row key={row.path} path={row.path} part={row.path} isChanged={row.change !== null}>
              <ArgumentValue
                value={row.value}
                isLong={row.isLong}
                sameAs={row.sameAs}
                part={row.path}
                newItems={row.change?.newItems ?? []}
              />
              {row.change ? <Change change={row.change} /> : null}
            </Row>
          ))}
          {(isGoneOpen ? gone : gone.slice(0, GONE_UNFOLDED)).map(({ path, was }) => (
            <Row key={path} path={path} isChanged>
              <div className="text-sm text-ink-2 wrap-anywhere">
                not sent this time; last approved call: <ValueBefore text={was} />
              </div>
            </Row>
          ))}
        </tbody>
      </table>
      {isOpen || below === 0 ? null : (
        <div className="border-t border-line p-2">
          <Button size="small" data-more-parts onClick={() => setOpen(true)}>
            Show {below} more {below === 1 ? "argument" : "arguments"}
          </Button>
        </div>
      )}
      {isGoneOpen ? null : (
        <div className="border-t border-line p-2">
          <Button size="small" onClick={() => setGoneOpen(true)}>
            and {gone.length - GONE_UNFOLDED} more that are not sent this time
          </Button>
        </div>
      )}
    </div>
  );
}

function Row({
  path,
  part,
  isChanged,
  children,
}: {
  path: string;
  part?: string;
  isChanged: boolean;
  children: ReactNode;
}) {
  return (
    <tr
      data-part={part}
      className={classNames(
        "grid border-b border-line last:border-b-0 tablet:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]",
        isChanged && CHANGED,
      )}
    >
      <th scope="row" className="px-3.5 pt-2 font-normal text-ink-2 tablet:pb-2">
        <code className="wrap-anywhere">
          <Name path={path} />
        </code>
      </th>
      <td className="min-w-0 px-3.5 pt-1 pb-2 tablet:pt-2">{children}</td>
    </tr>
  );
}

/** A name that is too long for its column breaks between its words, and within one only if that alone is too long. */
function Name({ path }: { path: string }) {
  return path.split(/(?<=[._[])/).map((word, index) => (
    // eslint-disable-next-line react/no-array-index-key -- words of one name have no other name
    <Fragment key={index}>
      {index > 0 ? <wbr /> : null}
      <ShownText text={word} />
    </Fragment>
  ));
}

function Change({ change: { was, firstTimeIn, newItems } }: { change: ArgumentChange }) {
  return (
    <div className="text-sm text-ink-2 wrap-anywhere">
      {newItems && newItems.length > 0
        ? `${newItems.length === 1 ? "1 item is" : `${newItems.length} items are`} new; `
        : ""}
      {was === null ? (
        "not in the last approved call"
      ) : (
        <>
          last approved call: <ValueBefore text={was} />
        </>
      )}
      {firstTimeIn === null ? null : `; first time in ${firstTimeIn} approved calls`}
    </div>
  );
}
