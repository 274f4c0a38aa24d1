import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { changeUserRole } from "@/lib/people/change-user-role";
import { TEST_PASSWORD } from "@/lib/testing/builders";
import { expect, test } from "./fixtures";
import { ConsolePage } from "./pages/console-page";
import { PeoplePage } from "./pages/people-page";
import { SignInPage } from "./pages/sign-in-page";
import { verifies } from "./requirements";

const NEW_PASSWORD = "eleven quiet harbours 7";

test(
  verifies("session:sign-out", "signing out from the account menu closes the console, also for the back button"),
  async ({ open, person }) => {
    const someone = await person("viewer");
    const page = await open(null);
    const signIn = new SignInPage(page);
    await signIn.open();
    await signIn.signIn(someone.email, TEST_PASSWORD);
    const frame = new ConsolePage(page);
    await expect(frame.heading("Inbox")).toBeVisible();
    await frame.signOut();
    await expect(signIn.submit).toBeVisible();
    await page.goBack();
    await expect(signIn.submit).toBeVisible();
    await page.goto("/inbox");
    await expect(page).toHaveURL(/\/sign-in\?next=/);
    expect((await page.request.get("/audit-log")).status()).toBe(401);
  },
);

test(verifies("session:cookie", "the session cookie is for this site's server alone"), async ({ open, person }) => {
  const someone = await person("admin");
  const page = await open(null);
  const signIn = new SignInPage(page);
  await signIn.open();
  await signIn.signIn(someone.email, TEST_PASSWORD);
  await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
  const cookie = (await page.context().cookies()).find(({ name }) => name.endsWith("session-token"));
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
  expect(await page.evaluate(() => document.cookie)).not.toContain("session-token");
  expect(cookie?.value).not.toMatch(/admin/i);
});

test(
  verifies("session:role-change", "a role given in another window applies on the next click, without signing in again"),
  async ({ open, person, deps }) => {
    const [someone, admin] = [await person("viewer"), await person("admin")];
    const page = await open(someone);
    const frame = new ConsolePage(page);
    await page.goto("/inbox");
    expect(await frame.destinations()).not.toContain("Audit");

    const people = new PeoplePage(await open(admin));
    await people.open(someone.email);
    await people.chooseRole(someone.name, "Operator");
    await expect(people.role(someone.name)).toHaveValue("operator");

    await page.goto("/audit");
    await expect(frame.heading("Audit")).toBeVisible();
    expect((await page.request.get("/audit-log")).status()).toBe(200);

    await changeUserRole(deps, OPERATOR_ACTOR, { userId: someone.id, role: "viewer" });
    expect((await page.request.get("/audit-log")).status()).toBe(403);
  },
);

test(
  verifies("session:disabled", "a disabled person is redirected to the sign-in page with their next click"),
  async ({ open, person }) => {
    const [someone, admin] = [await person("operator"), await person("admin")];
    const page = await open(someone);
    await page.goto("/inbox");
    const frame = new ConsolePage(page);
    await expect(frame.heading("Inbox")).toBeVisible();

    const people = new PeoplePage(await open(admin));
    await people.open(someone.email);
    await people.disable(someone.name);
    await expect(people.row(someone.name)).toContainText("Disabled");

    await frame.nav.getByRole("link", { name: "History" }).click();
    await expect(new SignInPage(page).submit).toBeVisible();
    expect((await page.request.get("/audit-log")).status()).toBe(401);
  },
);

test(
  verifies("session:password-change", "a new password ends this session and all others, and works"),
  async ({ open, person }) => {
    const someone = await person("operator");
    const [page, elsewhere] = [await open(someone), await open(someone)];
    await elsewhere.goto("/inbox");
    await page.goto("/settings");
    await page.getByLabel("Current password").fill(TEST_PASSWORD);
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Password changed" })).toBeVisible();

    await elsewhere.goto("/inbox");
    await expect(elsewhere).toHaveURL(/\/sign-in/);
    await new SignInPage(page).signIn(someone.email, NEW_PASSWORD);
    await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
  },
);

test(
  verifies("people:own-password", "a wrong current password is reported at its field and changes nothing"),
  async ({ open, person }) => {
    const someone = await person("viewer");
    const page = await open(someone);
    await page.goto("/settings");
    await page.getByLabel("Current password").fill("not my password");
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByLabel("Current password")).toHaveAttribute("aria-invalid", "true");
    await page.reload();
    await expect(new ConsolePage(page).heading("Settings")).toBeVisible();
  },
);
