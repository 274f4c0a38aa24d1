import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SAVED_VIEWS_MAX } from "@/lib/limits";
import { changeView, deleteView, saveView } from "@/lib/people/saved-views";
import { listSavedViews } from "@/lib/people/queries/list-saved-views";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";

const database = useDatabase();
const deps = () => testDeps(database);

async function views() {
  const { id: userId } = await buildUser(deps(), "viewer");
  const save = (name: string, isDefault = false, query = "status=failed") =>
    saveView(deps(), userId, { name, query, isDefault });
  const list = async () =>
    (await listSavedViews(deps().db, userId)).map(({ name, isDefault }) => (isDefault ? `${name}*` : name));
  return { userId, save, list };
}

describe(verifies("history:views", "a person's saved views"), () => {
  test("are theirs alone: nobody else lists, changes or deletes them", async () => {
    const [ana, jo] = [await views(), await views()];
    const { id } = await ana.save("Failed");
    expect(await jo.list()).toEqual([]);
    await expect(changeView(deps(), jo.userId, { id, name: "Mine", isDefault: true })).rejects.toThrow(/no view/);
    await expect(deleteView(deps(), jo.userId, id)).rejects.toThrow(/no view/);
    expect(await ana.list()).toEqual(["Failed"]);
    await jo.save("Failed");
    await deleteView(deps(), ana.userId, id);
    expect([await ana.list(), await jo.list()]).toEqual([[], ["Failed"]]);
  });

  test("have one default at most, which is the latest choice", async () => {
    const { userId, save, list } = await views();
    const { id } = await save("One", true);
    await save("Two", true, "status=complete");
    expect(await list()).toEqual(["One", "Two*"]);
    await changeView(deps(), userId, { id, name: "Uno", isDefault: true });
    expect(await list()).toEqual(["Two", "Uno*"]);
    await changeView(deps(), userId, { id, name: "Uno", isDefault: false });
    expect(await list()).toEqual(["Two", "Uno"]);
  });

  test("have distinct names, also when two are saved at the same instant", async () => {
    const { userId, save, list } = await views();
    const tries = await Promise.allSettled([1, 2, 3].map(() => save("Same", true)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const { id } = await save("Other");
    await expect(changeView(deps(), userId, { id, name: "Same", isDefault: false })).rejects.toThrow(
      /named Same already/,
    );
    expect(await list()).toEqual(["Other", "Same*"]);
  });

  test("need a name and a filter, and are limited in number", async () => {
    const { save, list } = await views();
    await expect(save(" ")).rejects.toThrow(/name: is missing/);
    await expect(save("Empty", false, "")).rejects.toThrow(/names no filter/);
    for (let n = 0; n < SAVED_VIEWS_MAX; n++) await save(`View ${n}`);
    await expect(save("One more", true)).rejects.toThrow(/delete one first/);
    expect(await list()).toHaveLength(SAVED_VIEWS_MAX);
  });
});
