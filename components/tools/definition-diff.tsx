import { classNames } from "@/components/ui/class-names";
import { diffLines, type DiffRow, type LineParts, splitLines } from "./diff-lines";

const sides: Record<DiffRow["kind"], { before: string; after: string }> = {
  same: { before: "", after: "" },
  changed: { before: "bg-critical-soft", after: "bg-new" },
  removed: { before: "bg-critical-soft", after: "" },
  added: { before: "", after: "bg-new" },
};
const SIGNS: Record<DiffRow["kind"], { before: string; after: string }> = {
  same: { before: "", after: "" },
  changed: { before: "−", after: "+" },
  removed: { before: "−", after: "" },
  added: { before: "", after: "+" },
};

/**
 * The trusted definition at the left, today's at the right; on a phone one under the other. Signs say what the tints
 * say; invisible characters are written out.
 */
export function DefinitionDiff({ before, after }: { before: string; after: string }) {
  const rows = diffLines(before, after);
  return (
    <div role="region" aria-label="Difference of the definitions" className="rounded-lg border border-line">
      <Stacked rows={rows} />
      <table className="w-full table-fixed max-tablet:hidden border-collapse text-left">
        <thead>
          <tr className="border-b border-line text-sm text-ink-2">
            <th scope="col" className="px-3.5 py-1.5 font-medium">
              As trusted
            </th>
            <th scope="col" className="border-l border-line px-3.5 py-1.5 font-medium">
              Now
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const { before: was, after: is } = splitRow(row);
            return (
              <tr key={index} className="align-top">
                <Side parts={was} sign={SIGNS[row.kind].before} word="removed" className={sides[row.kind].before} />
                <Side
                  parts={is}
                  sign={SIGNS[row.kind].after}
                  word="added"
                  className={classNames("border-l border-line", sides[row.kind].after)}
                />
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A changed line is shown as it was, and under it as it is. */
function Stacked({ rows }: { rows: readonly DiffRow[] }) {
  return (
    <ol className="tablet:hidden">
      {rows.map((row, index) => {
        const { before: was, after: is } = splitRow(row);
        return (
          <li key={index}>
            {row.kind === "added" ? null : (
              <Line
                parts={was}
                sign={SIGNS[row.kind].before}
                word="removed"
                className={classNames("px-3.5", sides[row.kind].before)}
              />
            )}
            {row.kind === "added" || row.kind === "changed" ? (
              <Line
                parts={is}
                sign={SIGNS[row.kind].after}
                word="added"
                className={classNames("px-3.5", sides[row.kind].after)}
              />
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}

/** Only a changed line has a highlighted part; an added or removed one is new or gone as a whole. */
function splitRow({ kind, before, after }: DiffRow): { before: LineParts; after: LineParts } {
  if (kind === "changed") return splitLines(before ?? "", after ?? "");
  return { before: { start: before ?? "", differs: "", end: "" }, after: { start: after ?? "", differs: "", end: "" } };
}

function Side({ className, ...line }: LineProps & { className: string }) {
  return (
    <td className={classNames("px-3.5", className)}>
      <Line {...line} />
    </td>
  );
}

interface LineProps {
  parts: LineParts;
  sign: string;
  word: string;
  className?: string;
}

function Line({ parts: { start, differs, end }, sign, word, className }: LineProps) {
  return (
    <code className={classNames("grid grid-cols-[14px_minmax(0,1fr)] whitespace-pre-wrap wrap-anywhere", className)}>
      <span aria-hidden>{sign}</span>
      <span>
        {sign ? <span className="sr-only">{word}: </span> : null}
        {start}
        {differs ? (
          <mark className="bg-transparent font-semibold text-ink underline decoration-2 underline-offset-3">
            {differs}
          </mark>
        ) : null}
        {end}
      </span>
    </code>
  );
}
