import type { ListedPage } from "@/components/runs/join-pages";
import type { HistoryRun } from "@/lib/runs/queries/list-history";
import type { Page } from "@/lib/database/page";

/** A page of runs as the table takes it: plain data that can be serialised. */
export function toListedPage(page: Page<HistoryRun>): ListedPage {
  return {
    items: page.items.map(({ completedAt: _completedAt, ...run }) => ({
      ...run,
      createdAt: run.createdAt.toISOString(),
    })),
    nextCursor: page.nextCursor,
  };
}
