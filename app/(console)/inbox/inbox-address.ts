import type { InboxFilter } from "@/lib/approvals/queries/inbox-reader";
import { type InboxCursor, type InboxSort, parseCursor } from "@/lib/approvals/queries/list-inbox";
import { addressWith, oneText } from "../search-params";

/** What the address of the inbox says: which calls, in which order, from which position on. */
export interface InboxView extends Omit<InboxFilter, "aside"> {
  /** Words to look for; `q` in the address. */
  text?: string;
  /** Only what the reader has set aside. */
  aside?: true;
  sort: InboxSort;
  cursor?: InboxCursor;
  /** As given, to stay on the page when a card is opened. */
  cursorText?: string;
  problems: string[];
}

/** Longer text is not a search. */
export const TEXT_LENGTH_MAX = 200;
const SORTS = ["expiry", "age", "danger"] as const;
const DANGERS = ["critical", "high", "medium", "low", "safe"] as const;

export function readInboxView(params: Record<string, string | string[] | undefined>): InboxView {
  const problems: string[] = [];
  const oneOf = <T extends string>(name: string, known: readonly T[]): T | undefined => {
    const text = oneText(params[name]);
    const found = known.find((value) => value === text);
    if (text !== undefined && found === undefined)
      problems.push(`“${name}” cannot be ${text}; it is one of ${known.join(", ")}.`);
    return found;
  };
  const cursorText = oneText(params.cursor);
  const cursor = cursorText === undefined ? undefined : parseCursor(cursorText);
  if (cursorText !== undefined && cursor === undefined)
    problems.push("The place in the list that the address names is not known; this is its beginning.");
  return {
    danger: oneOf("danger", DANGERS),
    workflow: oneText(params.workflow),
    agent: oneText(params.agent),
    tool: oneText(params.tool),
    text: oneText(params.q)?.slice(0, TEXT_LENGTH_MAX),
    mine: oneText(params.mine) === "1" || undefined,
    aside: oneText(params.aside) === "1" || undefined,
    sort: oneOf("sort", SORTS) ?? "expiry",
    cursor,
    cursorText: cursor && cursorText,
    problems,
  };
}

type Change = Partial<
  Pick<InboxView, "danger" | "workflow" | "agent" | "tool" | "text" | "mine" | "aside" | "sort" | "cursorText">
>;

/** The list with something about it changed. A changed filter begins at the first page. */
export function listAddress(view: InboxView, change: Change = {}, path = "/inbox"): string {
  const { danger, workflow, agent, tool, text, mine, aside, sort } = { ...view, ...change };
  const cursor = Object.keys(change).length === 0 ? view.cursorText : change.cursorText;
  return addressWith(path, {
    danger,
    workflow,
    agent,
    tool,
    q: text,
    mine: mine ? "1" : undefined,
    aside: aside ? "1" : undefined,
    sort: sort === "expiry" ? undefined : sort,
    cursor,
  });
}
