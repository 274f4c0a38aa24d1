import { ROLES } from "@/lib/domain/roles";
import { expect, test } from "./fixtures";
import { ConsolePage } from "./pages/console-page";
import { PLACES } from "./places";
import { verifies } from "./requirements";

for (const role of ROLES) {
  const allowed = PLACES.filter(({ roles }) => roles.includes(role));
  const forbidden = PLACES.filter(({ roles }) => !roles.includes(role));

  test(verifies("roles:pages", `a ${role} is offered exactly the pages of that role, and each opens`), async ({ open, person }) => {
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
  });

  if (forbidden.length > 0) {
    test(verifies("roles:hidden", `to a ${role} the pages of other roles look like missing ones`), async ({ open, person }) => {
      const page = await open(await person(role));
      const missing = await page.request.get("/settings/no-such-page");
      await page.goto("/settings/no-such-page");
      const text = await page.locator("main").innerText();
      for (const { path } of forbidden) {
        const answer = await page.goto(path);
        expect.soft(answer?.status(), path).toBe(missing.status());
        expect.soft(await page.locator("main").innerText(), path).toBe(text);
      }
    });
  }
}

test(verifies("roles:hidden", "a group that an admin sees is missing for everybody else"), async ({ open, person }) => {
  const page = await open(await person("operator"));
  const answer = await page.goto("/settings/groups/grp_of_somebody");
  expect(answer?.status()).toBe(404);
  await expect(new ConsolePage(page).missing).toBeVisible();
});

test(verifies("roles:api", "the API refuses a viewer's session what only operators may read"), async ({ open, person }) => {
  const page = await open(await person("viewer"));
  for (const path of ["/audit-log", "/audit-log/export"]) {
    const answer = await page.request.get(path);
    expect(answer.status()).toBe(403);
    expect((await answer.json()).error).toMatchObject({ code: "forbidden", issues: [] });
  }
});
