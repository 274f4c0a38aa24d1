import { randomBytes } from "node:crypto";
import { examine } from "./examine";
import { expect, test } from "./fixtures";
import { ConsolePage } from "./pages/console-page";
import { PeoplePage } from "./pages/people-page";
import { SignInPage } from "./pages/sign-in-page";
import { verifies } from "./requirements";

const unique = () => randomBytes(4).toString("hex");

test(
  verifies("people:add", "a person is added with a generated password, which is shown once and works"),
  async ({ open, person }) => {
    const people = new PeoplePage(await open(await person("admin")));
    const [name, email] = [`New ${unique()}`, `new-${unique()}@example.org`];
    await people.open(email);
    await people.fillNewPerson({ name, email, role: "Reviewer" });
    await expect(people.dialog).toContainText(`${email} can sign in now`);
    const password = await people.dialog.getByTestId("secret").innerText();
    await people.dialog.getByRole("button", { name: "Done" }).click();
    await expect(people.role(name)).toHaveValue("reviewer");
    await people.page.reload();
    await expect(people.row(name)).toBeVisible();
    expect(await people.page.content()).not.toContain(password);

    const page = await open(null);
    const signIn = new SignInPage(page);
    await signIn.open();
    await signIn.signIn(email, password);
    await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
  },
);

test(
  verifies(
    "people:add:problems",
    "a taken e-mail and a weak password are reported at their fields, and what was typed stays",
  ),
  async ({ open, person }) => {
    const someone = await person("viewer");
    const people = new PeoplePage(await open(await person("admin")));
    await people.open(someone.email);
    await people.fillNewPerson({ name: "Someone Else", email: someone.email, role: "Viewer" });
    await expect(people.dialog.getByLabel("E-mail")).toHaveAccessibleDescription(
      /already has an account; nothing was changed/,
    );
    await expect(people.dialog.getByLabel("Name")).toHaveValue("Someone Else");
    await expect(people.dialog.getByLabel("Role")).toHaveValue("viewer");
    await people.dialog.getByLabel("Password (optional)").fill("short");
    await people.dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect(people.dialog.getByLabel("Password (optional)")).toHaveAccessibleDescription(/12 characters/);
  },
);

test(
  verifies("people:role", "changing a role asks first, says what it allows, and cancelling changes nothing"),
  async ({ open, person }) => {
    const someone = await person("viewer");
    const people = new PeoplePage(await open(await person("admin")));
    await people.open(someone.email);
    await people.role(someone.name).selectOption({ label: "Operator" });
    await expect(people.dialog).toContainText(/starts, cancels, retries/);
    await people.dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(people.role(someone.name)).toHaveValue("viewer");
    await people.chooseRole(someone.name, "Operator");
    await expect(new ConsolePage(people.page).toast("Role is now Operator")).toBeVisible();
    await people.page.reload();
    await expect(people.role(someone.name)).toHaveValue("operator");
  },
);

test(verifies("session:disabled", "a disabled account can be enabled again"), async ({ open, person }) => {
  const someone = await person("viewer");
  const people = new PeoplePage(await open(await person("admin")));
  await people.open(someone.email);
  await people.disable(someone.name);
  await expect(people.row(someone.name)).toContainText("Disabled");
  await people.chooseAction(someone.name, "Enable the account…");
  await people.dialog.getByRole("button", { name: "Enable" }).click();
  await expect(people.row(someone.name)).not.toContainText("Disabled");
});

test(
  verifies("groups:members", "a group is made, gets and loses a member, is renamed and deleted"),
  async ({ open, person }) => {
    const someone = await person("reviewer");
    const page = await open(await person("admin"));
    const frame = new ConsolePage(page);
    const name = `group-${unique()}`;
    await page.goto("/settings/groups");
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(name);
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();

    await expect(page).toHaveURL(/\/settings\/groups\/grp_/);
    await page.getByRole("searchbox", { name: "Name or e-mail" }).fill(someone.email);
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByRole("button", { name: `Add ${someone.name}` }).click();
    await expect(page.getByRole("button", { name: `Remove ${someone.name}` })).toBeVisible();
    await examine(page, "group");
    await page.getByLabel("Name", { exact: true }).fill(`${name}-two`);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(frame.toast("Group saved")).toBeVisible();

    await page.goto("/settings/groups");
    await expect(page.getByRole("row").filter({ hasText: `${name}-two` })).toContainText(someone.name);
    await page.getByRole("link", { name: `${name}-two` }).click();
    await page.getByRole("button", { name: `Remove ${someone.name}` }).click();
    await expect(page.getByText("Nobody yet.")).toBeVisible();
    await page.getByRole("button", { name: "Delete the group…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL("/settings/groups");
    await expect(page.getByRole("link", { name: `${name}-two` })).toHaveCount(0);
  },
);

test(
  verifies(
    "groups:project",
    "a group of policy.yaml says so, names members without an account, and cannot be renamed or deleted here",
  ),
  async ({ open, person }) => {
    const page = await open(await person("admin"));
    await page.goto("/settings/groups");
    const row = page.getByRole("row").filter({ hasText: "privacy" });
    await expect(row).toContainText("named in policy.yaml");
    await expect(row).toContainText("Without an account: admin@localhost, legal@example.com");
    await row.getByRole("link", { name: "privacy" }).click();
    await expect(page.getByText("Whoever gets an account with such an address is a member at once.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Delete the group…" })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Save" })).toHaveCount(0);
  },
);
