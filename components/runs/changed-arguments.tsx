import { classNames } from "@/components/ui/class-names";

interface Change {
  path: string;
  proposed: string | null;
  effective: string | null;
}

/** Proposed by the agent on one side, sent as a person changed it on the other. */
export function ChangedArguments({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <table className="mt-1 w-full table-fixed border-collapse text-left text-sm">
      <caption className="sr-only">Changed by a person</caption>
      <thead>
        <tr className="border-b border-line text-ink-3">
          <th scope="col" className="w-[24%] py-1 pr-3 font-medium">
            Changed
          </th>
          <th scope="col" className="py-1 pr-3 font-medium">
            Proposed
          </th>
          <th scope="col" className="py-1 font-medium">
            Effective
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, proposed, effective }) => (
          <tr key={path} className="border-b border-line align-top">
            <th scope="row" className="py-1.5 pr-3 font-normal">
              <code className="wrap-anywhere">{path}</code>
            </th>
            <td className="py-1.5 pr-3 text-ink-2">
              <Value text={proposed} />
            </td>
            <td className="py-1.5">
              <Value text={effective} className="bg-new font-semibold" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ text, className }: { text: string | null; className?: string }) {
  return text === null ? (
    <span className="text-ink-3">not sent</span>
  ) : (
    <code className={classNames("whitespace-pre-wrap wrap-anywhere", className)}>{text}</code>
  );
}
