import { randomBytes } from "node:crypto";
import { expect, required, test } from "./fixtures";
import { TokensPage } from "./pages/tokens-page";
import { verifies } from "./requirements";

const unique = () => `token-${randomBytes(4).toString("hex")}`;
/** As a program would: no cookie, no browser. */
const ask = (path: string, token: string) =>
  fetch(required("BASE_URL") + path, { headers: { authorization: `Bearer ${token}` } });

test(
  verifies(
    "tokens:once",
    verifies(
      "tokens:works",
      verifies("tokens:revoke", "a token is shown once, reads the trail, and is refused once it is revoked"),
    ),
  ),
  async ({ open, person }) => {
    const tokens = new TokensPage(await open(await person("operator")));
    const name = unique();
    await tokens.open();
    const secret = await tokens.make({ name, scopes: ["audit:read"] });
    await tokens.dialog.getByRole("button", { name: "Done" }).click();
    await tokens.page.reload();
    await expect(tokens.row(name)).toBeVisible();
    expect(await tokens.page.content()).not.toContain(secret);

    const answer = await ask("/audit-log?limit=1", secret);
    expect(answer.status).toBe(200);
    expect((await answer.json()).items).toHaveLength(1);

    await tokens.revoke(name);
    await expect(tokens.row(name)).toContainText("Revoked");
    const refused = await ask("/audit-log", secret);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain("Bearer");
  },
);

test(
  verifies("roles:api", "a token without the scope is refused, whatever its person may do"),
  async ({ open, person }) => {
    const tokens = new TokensPage(await open(await person("admin")));
    await tokens.open();
    const secret = await tokens.make({ name: unique(), scopes: ["runs:read"] });
    const refused = await ask("/audit-log", secret);
    expect(refused.status).toBe(403);
    expect((await refused.json()).error.message).toContain("has no scope audit:read");
  },
);

test(
  verifies("tokens:works", "nobody is offered a scope that their role does not include"),
  async ({ open, person }) => {
    const tokens = new TokensPage(await open(await person("reviewer")));
    await tokens.open();
    await tokens.page.getByRole("button", { name: "New token" }).click();
    await expect(tokens.dialog.getByRole("checkbox")).toHaveCount(4);
    await expect(tokens.dialog.getByRole("checkbox", { name: "audit:read" })).toHaveCount(0);
  },
);

test(
  verifies("tokens:revoke", "people see their own tokens only; an admin sees and revokes anyone's"),
  async ({ open, person }) => {
    const [owner, other, admin] = [await person("viewer"), await person("viewer"), await person("admin")];
    const name = unique();
    const own = new TokensPage(await open(owner));
    await own.open();
    await own.make({ name, scopes: ["runs:read"] });
    const others = new TokensPage(await open(other));
    await others.open();
    await expect(others.page.getByRole("button", { name: "New token" })).toBeVisible();
    await expect(others.row(name)).toHaveCount(0);
    const all = new TokensPage(await open(admin));
    await all.open();
    await expect(all.row(name)).toContainText(owner.email);
    await all.revoke(name);
    await expect(all.row(name)).toContainText("Revoked");
  },
);

test(
  verifies("tokens:profile", "a token for an MCP client names its profile, and is good for nothing else"),
  async ({ open, person }) => {
    const tokens = new TokensPage(await open(await person("operator")));
    const name = unique();
    await tokens.open();
    await tokens.page.getByRole("button", { name: "New token" }).click();
    const box = (scope: string) => tokens.dialog.getByRole("checkbox", { name: scope });
    await box("runs:read").check();
    await expect(tokens.dialog.getByRole("combobox", { name: "Profile" })).toHaveCount(0);
    await box("mcp").check();
    await expect(box("runs:read")).not.toBeChecked();
    await expect(box("runs:read")).toBeDisabled();
    await tokens.dialog.getByRole("button", { name: "Cancel" }).click();

    const secret = await tokens.make({ name, scopes: ["mcp"], profile: "coding" });
    await tokens.dialog.getByRole("button", { name: "Done" }).click();
    await expect(tokens.row(name)).toContainText("profile coding");
    const refused = await ask("/runs", secret);
    expect(refused.status).toBe(403);
    expect((await refused.json()).error.message).toContain("has no scope runs:read");
  },
);
