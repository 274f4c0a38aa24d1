import { type Role, ROLES } from "@/lib/people/rules/roles";
import { TEST_PASSWORD } from "@/lib/testing/builders";
import { expect, required, test } from "./fixtures";
import { AuditPage } from "./pages/audit-page";
import { ConsolePage } from "./pages/console-page";
import { SignInPage } from "./pages/sign-in-page";
import { PLACES } from "./places";
import { verifies } from "./requirements";

/** A group that never was: missing for an admin, and forbidden or missing for everybody else. */
const MISSING = "/settings/groups/grp_that_never_was";
/** An address without a page. */
const NOWHERE = "/no-such-page";

for (const role of ROLES) {
  const allowed = PLACES.filter(({ roles }) => roles.includes(role));
  const forbidden = PLACES.filter(({ roles }) => !roles.includes(role));

  test(
    verifies("roles:pages", `${role}: exactly the pages of that role are offered, and each opens`),
    async ({ open, person }) => {
      const page = await open(await person(role));
      const frame = new ConsolePage(page);
      await page.goto("/settings");
      expect(await frame.destinations()).toEqual(allowed.flatMap(({ nav }) => nav ?? []));
      const tabs = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
      expect(await tabs.allInnerTexts()).toEqual(allowed.flatMap(({ tab }) => tab ?? []));
      for (const place of allowed) {
        await page.goto(place.path);
        await expect(frame.heading(place.title)).toBeVisible();
      }
    },
  );

  if (forbidden.length > 0) {
    test(
      verifies("roles:hidden", `what a ${role} may not open looks like what does not exist`),
      async ({ open, person }) => {
        const missing = await open(await person("admin"));
        expect((await missing.goto(MISSING))?.status()).toBe(404);
        const text = await missing.locator("#content").innerText();
        expect(text).toContain("There is no such page");
        const page = await open(await person(role));
        for (const { path } of [{ path: MISSING }, { path: NOWHERE }, ...forbidden]) {
          expect.soft((await page.goto(path))?.status(), path).toBe(404);
          expect.soft(await page.locator("#content").innerText(), path).toBe(text);
          expect.soft(await page.title(), path).toMatch(/^(\(\d+\+?\) )?Not found · Kimitsu$/);
        }
      },
    );
  }
}

test(
  verifies("roles:pages", "the trail is not shown to a reviewer who opens its address"),
  async ({ open, person }) => {
    const page = await open(await person("reviewer"));
    await page.goto("/audit");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(new AuditPage(page).events).toHaveCount(0);
    await expect(page.getByRole("link", { name: "Export as JSONL" })).toHaveCount(0);
  },
);

test(
  verifies("roles:api", "the API refuses a viewer's session what only operators may read"),
  async ({ open, person }) => {
    const page = await open(await person("viewer"));
    for (const path of ["/audit-log", "/audit-log/export"]) {
      const answer = await page.request.get(path);
      expect(answer.status()).toBe(403);
      expect((await answer.json()).error).toMatchObject({ code: "forbidden", issues: [] });
    }
  },
);

/**
 * What each role may ask of the API at the least, and how it answers about things that do not exist, or with nothing in
 * the body.
 */
const ASKED: { method: "GET" | "POST"; path: string; from: Role; answer: number }[] = [
  { method: "GET", path: "/approvals", from: "viewer", answer: 200 },
  { method: "POST", path: "/approvals/apr_none/decide", from: "reviewer", answer: 404 },
  { method: "POST", path: "/runs/run_none/cancel", from: "operator", answer: 404 },
  { method: "GET", path: "/audit-log?limit=1", from: "operator", answer: 200 },
  { method: "POST", path: "/settings/pause", from: "admin", answer: 422 },
];

for (const role of ROLES) {
  test(
    verifies(
      "roles:api",
      `${role}: signs in by the form, and the session may do with the API what the role allows and nothing more`,
    ),
    async ({ open, person }) => {
      const someone = await person(role);
      const page = await open(null);
      const signIn = new SignInPage(page);
      await signIn.open();
      await signIn.signIn(someone.email, TEST_PASSWORD);
      await expect(new ConsolePage(page).heading("Inbox")).toBeVisible();
      for (const { method, path, from, answer } of ASKED) {
        const data = path.endsWith("decide") ? { decision: "reject" } : {};
        const response = await page.request.fetch(path, {
          method,
          headers: { origin: required("BASE_URL") },
          ...(method === "POST" ? { data } : {}),
        });
        expect
          .soft(response.status(), `${method} ${path}`)
          .toBe(ROLES.indexOf(role) >= ROLES.indexOf(from) ? answer : 403);
      }
    },
  );
}
