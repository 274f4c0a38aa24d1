import { expect, test } from "../fixtures";
import { startAndWait } from "../pending";
import { verifies } from "../requirements";

const HOUR_MS = 3_600_000;
/** Longer than the page's interval between two checks. */
const A_WHILE = "01:00";

test(
  verifies("tools:list", "an open page shows that a server stopped answering, and why"),
  async ({ open, person, deps }) => {
    await startAndWait(deps, "T-315");
    const page = await open(await person("viewer"));
    await page.clock.install();
    await page.goto("/tools");
    const shop = page.getByRole("region", { name: "shop", exact: true });
    await expect(shop).toContainText("Reachable");
    const where = { name: "shop" };
    const { reachable, lastError, checkedAt } = await deps.db.toolServerState.findUniqueOrThrow({ where });
    // The later observation counts, whoever checks meanwhile.
    await deps.db.toolServerState.update({
      where,
      data: { reachable: false, lastError: "The shop is closed for today.", checkedAt: new Date(Date.now() + HOUR_MS) },
    });
    await page.clock.fastForward(A_WHILE);
    await expect(shop).toContainText("The shop is closed for today.");
    await expect(shop).toContainText("Unreachable");
    await deps.db.toolServerState.update({ where, data: { reachable, lastError, checkedAt } });
    await page.clock.fastForward(A_WHILE);
    await expect(shop).toContainText("Reachable");
    await expect(shop).not.toContainText("closed for today");
  },
);
