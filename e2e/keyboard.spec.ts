import type { Locator, Page } from "@playwright/test";
import { TEST_PASSWORD } from "@/lib/testing/builders";
import { expect, test } from "./fixtures";
import { ConsolePage } from "./pages/console-page";
import { PeoplePage } from "./pages/people-page";
import { SignInPage } from "./pages/sign-in-page";
import { verifies } from "./requirements";

const TABS_MAX = 60;

/** Presses Tab until the focus is there, as someone without a mouse would. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let n = 0; n < TABS_MAX; n++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The focus does not reach ${target} within ${TABS_MAX} tabs.`);
}

test(verifies("ui:keyboard", "signing in and changing a role need no mouse"), async ({ open, person }) => {
  const [someone, admin] = [await person("viewer"), await person("admin")];
  const page = await open(null);
  const signIn = new SignInPage(page);
  await signIn.open(`/settings/people?q=${someone.email}`);
  await expect(signIn.email).toBeFocused();
  await page.keyboard.type(admin.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(TEST_PASSWORD);
  await page.keyboard.press("Enter");

  const people = new PeoplePage(page);
  await expect(people.role(someone.name)).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, people.role(someone.name));
  await page.keyboard.type("Oper");
  await expect(people.dialog).toBeVisible();
  await tabTo(page, people.dialog.getByRole("button", { name: "Change role" }));
  await page.keyboard.press("Enter");
  await expect(people.dialog).toBeHidden();
  await expect(people.role(someone.name)).toHaveValue("operator");
});

test(
  verifies(
    "ui:problems",
    "a refused form puts the focus into the field that has the problem, and what was typed is there",
  ),
  async ({ open, person }) => {
    const admin = await person("admin");
    const page = await open(admin);
    await page.goto("/settings/people");
    await page.getByRole("button", { name: "Add a person" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a person" });
    await dialog.getByLabel("E-mail").fill(admin.email);
    await dialog.getByLabel("Name").fill("Someone else");
    await page.keyboard.press("Enter");
    await expect(dialog.getByLabel("E-mail")).toBeFocused();
    await expect(dialog.getByLabel("E-mail")).toHaveAccessibleDescription(/already/i);
    await expect(dialog.getByLabel("Name")).toHaveValue("Someone else");
  },
);

test(
  verifies("ui:keyboard", "Escape closes a dialog, changes nothing and returns the focus"),
  async ({ open, person }) => {
    const page = await open(await person("admin"));
    await page.goto("/settings/groups");
    const button = page.getByRole("button", { name: "New group" });
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(button).toBeFocused();
    await expect(new ConsolePage(page).heading("Settings")).toBeVisible();
  },
);
