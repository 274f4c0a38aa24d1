import Link from "next/link";
import { LinkWorking } from "@/components/shell/link-working";
import type { SavedView } from "@/lib/people/queries/list-saved-views";
import { ALL_RUNS } from "./all-runs";
import { EditView, SaveView } from "./view-dialogs";

/** The person's own views as links to plain filters, and a way to save what is shown now. */
export function ViewLinks({ views, current }: { views: readonly SavedView[]; current: string }) {
  const shown = views.find(({ query }) => query === current);
  if (views.length === 0 && current === "") return null;
  return (
    <div className="flex items-center gap-3 border-b border-line px-2 tablet:px-4 print:hidden">
      <nav aria-label="Views of History" className="min-w-0 flex-1">
        <ul className="flex gap-1 overflow-x-auto">
          <ViewLink href={ALL_RUNS} isCurrent={current === ""}>
            All runs
          </ViewLink>
          {views.map((view) => (
            <ViewLink key={view.id} href={`/history?${view.query}`} isCurrent={view === shown}>
              {view.name}
              {view.isDefault ? <span className="text-xs font-normal text-ink-3">default</span> : null}
            </ViewLink>
          ))}
        </ul>
      </nav>
      {shown ? <EditView key={shown.id} view={shown} /> : current === "" ? null : <SaveView query={current} />}
    </div>
  );
}

function ViewLink({ href, isCurrent, children }: { href: string; isCurrent: boolean; children: React.ReactNode }) {
  return (
    <li className="shrink-0">
      <Link
        href={href}
        aria-current={isCurrent ? "page" : undefined}
        className="relative flex h-10 max-w-60 items-center gap-1.5 border-b-2 border-transparent px-2.5 whitespace-nowrap text-ink-2 hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
      >
        {children}
        <LinkWorking />
      </Link>
    </li>
  );
}
