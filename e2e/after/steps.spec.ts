import type { Request } from "@playwright/test";
import { expect, test } from "../fixtures";
import { openOwnProject } from "../own-project";
import { InboxPage } from "../pages/inbox-page";
import { verifies } from "../requirements";

const ASKS = {
  script: "agents: { worker: { turns: [{ call: [{ tool: echo, arguments: { text: hello } }] }] } }\n",
  allowlist: "- { name: echo, require_approval: { approvers: [reviewer] } }",
};

/** Requested by a navigation, not prefetched. */
const isVisit = (request: Request): boolean => {
  const { rsc, "next-router-prefetch": ahead, "next-router-segment-prefetch": part } = request.headers();
  return rsc !== undefined && ahead === undefined && part === undefined;
};

// Nobody else is active here: changes by others make an open inbox refresh, which would count.
test(
  verifies("inbox:place", "each step through a filtered queue makes one request, and none reloads the page"),
  async ({ open, person, deps }) => {
    const [ana, operator] = [await person("reviewer"), await person("operator")];
    const own = await openOwnProject(deps, ASKS);
    for (let n = 0; n < 6; n++) await own.startAndDrive(operator);
    const ids = (await deps.db.approval.findMany({ where: { workflow: own.workflow }, orderBy: { id: "asc" } })).map(
      ({ id }) => id,
    );
    const inbox = new InboxPage(await open(ana));
    const { page } = inbox;
    await inbox.open(ids[0]!, `?workflow=${own.workflow}&sort=age`);
    await inbox.untilAlive();
    const loads: string[] = [];
    const visits: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest()) loads.push(request.url());
      if (isVisit(request)) visits.push(new URL(request.url()).pathname);
    });
    const stepTo = async (id: string) => {
      await page.keyboard.press("j");
      await expect(inbox.row(id).getByRole("link")).toHaveAttribute("aria-current", "page");
      await inbox.untilStill();
    };
    // A page that was just opened still makes other requests, such as for its times in the reader's zone.
    for (const id of ids.slice(1, 3)) await stepTo(id);
    visits.length = 0;
    for (const id of ids.slice(3)) await stepTo(id);
    expect(visits).toEqual(ids.slice(3).map((id) => `/inbox/${id}`));
    expect(loads).toEqual([]);
    await own.close();
  },
);
