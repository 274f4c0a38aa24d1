import { examine, LOOKS } from "./examine";
import { expect, test } from "./fixtures";
import { startAndWait } from "./pending";
import { verifies } from "./requirements";

// A run that uses a server lists its tools now; the worker does so within a minute.
test.beforeAll(async ({ deps }) => {
  await startAndWait(deps, "T-315");
});

test(
  verifies(
    "tools:list",
    "servers show their health, and tools their danger, who may use them, and whether they are as locked",
  ),
  async ({ open, person }) => {
    const page = await open(await person("viewer"));
    await page.goto("/tools");
    const shop = page.getByRole("region", { name: "shop", exact: true });
    await expect(shop).toContainText("Reachable");
    const row = shop.getByRole("row").filter({ hasText: "delete-customer" });
    await expect(row).toContainText(/critical/);
    await expect(row).toContainText(/1: clerk/);
    await expect(row).toContainText(/as locked/);
    await expect(
      row.getByText("the tool is declared destructive").filter({ visible: true }),
      "why it is dangerous needs no hovering",
    ).toBeVisible();
  },
);

test(
  verifies("tools:list", "a tool's page says for each agent what the policy answers to a call, with file and line"),
  async ({ open, person }) => {
    const page = await open(await person("viewer"));
    await page.goto("/tools");
    await page.getByRole("link", { name: "issue-refund" }).click();
    const policy = page.getByRole("region", { name: "What the policy says" });
    await expect(policy).toContainText("clerk");
    await expect(policy).toContainText("Asks when amount > `25`");
    await expect(policy).toContainText("Runs at once when amount <= `25`");
    await expect(policy.getByText(/agents\/clerk\.agent\.yaml:\d+/).first()).toBeVisible();
    await page.goto("/tools/shop/no-such-tool");
    await expect(page.getByRole("heading", { level: 1, name: "Not found" })).toBeVisible();
  },
);

for (const { look, options } of LOOKS) {
  test(`a tool can be read by everyone, ${look}`, async ({ open, person }) => {
    const page = await open(await person("viewer"), options);
    await page.goto("/tools/shop/issue-refund");
    await expect(page.getByRole("heading", { level: 1, name: "shop.issue-refund" })).toBeVisible();
    await examine(page, `tool-${look}`);
  });
}
