import { printShown, type ShownArgument, type ShownValue } from "@/lib/approvals/view/show-arguments";

export interface ArgumentChange {
  was: string | null;
  firstTimeIn: number | null;
  /** For a list: positions of items that the last approved call's list did not have. */
  newItems?: number[];
}

interface ComparedArgument extends ShownArgument {
  /** Set when it differs from the last approved call. */
  change: ArgumentChange | null;
  /** "call 2 of this run", when a hidden value occurred elsewhere. */
  sameAs: string | null;
}

export interface Comparison {
  arguments: ComparedArgument[];
  /** What the last approved call had and this one lacks. */
  gone: { path: string; was: string }[];
}

/** `earlier` are approved calls of the same tool, newest first; without any, nothing counts as changed. */
export function compareArguments(
  shown: readonly ShownArgument[],
  earlier: readonly (readonly ShownArgument[])[],
  sameAs: ReadonlyMap<string, string>,
): Comparison {
  const [last, ...older] = earlier.map(
    (call) => new Map(call.map((argument) => [argument.path, printShown(argument.value)])),
  );
  const compared = shown.map((argument): ComparedArgument => {
    const { path, value } = argument;
    const known = value.kind === "redacted" ? (sameAs.get(value.fingerprint) ?? null) : null;
    const now = printShown(value);
    if (!last || last.get(path) === now) return { ...argument, change: null, sameAs: known };
    const isNew = older.length > 0 && older.every((call) => call.get(path) !== now);
    const newItems = findNewItems(value, earlier[0]?.find((other) => other.path === path)?.value);
    return {
      ...argument,
      change: {
        was: last.get(path) ?? null,
        firstTimeIn: isNew ? earlier.length : null,
        ...(newItems && { newItems }),
      },
      sameAs: known,
    };
  });
  const present = new Set(shown.map((argument) => argument.path));
  const gone = last ? [...last].filter(([path]) => !present.has(path)).map(([path, was]) => ({ path, was })) : [];
  return { arguments: compared, gone };
}

function findNewItems(now: ShownValue, before: ShownValue | undefined): number[] | null {
  if (now.kind !== "list" || before?.kind !== "list") return null;
  const known = new Set(before.items);
  return now.items.flatMap((item, place) => (known.has(item) ? [] : [place]));
}
