import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { changeUserRole } from "@/lib/people/change-user-role";
import { expect, test } from "../fixtures";
import { PeoplePage } from "../pages/people-page";
import { verifies } from "../requirements";

test.describe.configure({ mode: "serial" });

test(
  verifies("people:last-admin", "the console refuses to demote or to disable the last admin, and says why"),
  async ({ open, person, deps }) => {
    const last = await person("admin");
    const others = await deps.db.user.findMany({
      where: { role: "admin", disabledAt: null, id: { not: last.id } },
      select: { id: true },
    });
    for (const { id } of others) await changeUserRole(deps, OPERATOR_ACTOR, { userId: id, role: "operator" });
    const people = new PeoplePage(await open(last));
    await people.open(last.email);

    await people.chooseRole(last.name, "Viewer");
    await expect(people.dialog.getByRole("alert")).toContainText("only admin left who can sign in");
    await people.dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(people.role(last.name)).toHaveValue("admin");

    await people.disable(last.name);
    await expect(people.dialog.getByRole("alert")).toContainText("only admin left who can sign in");
    await people.dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(people.row(last.name)).not.toContainText("Disabled");

    for (const { id } of others) await changeUserRole(deps, OPERATOR_ACTOR, { userId: id, role: "admin" });
  },
);
