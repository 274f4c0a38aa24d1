import type { OperationGroup } from "./list-operations";

/** Links to every operation, by tag. */
export function Contents({ groups }: { groups: readonly OperationGroup[] }) {
  return (
    <div className="grid gap-5">
      {groups.map((group) => (
        <div key={group.name} className="grid gap-1">
          <p className="text-sm font-medium text-ink-3">{group.name}</p>
          <ul className="grid">
            {group.operations.map(({ method, path, operation }) => (
              <li key={operation.operationId}>
                <a
                  href={`#${operation.operationId}`}
                  className="flex items-baseline gap-2 rounded-sm py-0.75 text-sm text-ink-2 hover:text-ink"
                >
                  <span className="w-9 shrink-0 font-mono text-2xs text-ink-3">{method}</span>
                  <span className="min-w-0 wrap-anywhere">{path}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
