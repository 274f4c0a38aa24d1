import { redirect } from "next/navigation";
import { describe, expect, it } from "vitest";
import { verifies } from "@/e2e/requirements";
import { KimitsuError } from "@/lib/errors";
import { runAction, textField } from "./run-action";

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

describe("an action", () => {
  it("gives a refusal's message and its issues by field, and keeps what was typed except passwords", async () => {
    const form = formOf({ email: "a@b", password: "hunter2hunter2", currentPassword: "x", $ACTION_ID: "1" });
    const state = await runAction(form, async () => {
      throw new KimitsuError("conflict", "a@b already has an account.", {
        issues: [
          { path: "email", message: "is taken" },
          { path: "scopes.0", message: "is unknown" },
        ],
      });
    });
    expect(state).toEqual({
      status: "failed",
      message: "a@b already has an account.",
      issues: { email: "is taken", scopes: "is unknown" },
      values: { email: "a@b" },
    });
  });

  it("shows nothing of an unexpected fault but the id under which the log has it", async () => {
    const state = await runAction(formOf({}), async () => {
      throw new Error("password authentication failed for user kimitsu");
    });
    expect(state.message).toMatch(/^Something went wrong; the server's log has it under req_\w+\.$/);
  });

  it(verifies("actions:anything", "refuses what is not a form before anything is done"), async () => {
    for (const given of [null, undefined, "x", {}]) {
      const state = await runAction(given as unknown as FormData, () => expect.unreachable());
      expect(state).toEqual({
        status: "failed",
        message: expect.stringContaining("nothing was changed"),
        issues: {},
        values: {},
      });
    }
  });

  it("lets a redirect through", async () => {
    await expect(runAction(formOf({}), async () => redirect("/inbox"))).rejects.toThrow("NEXT_REDIRECT");
  });

  it("passes on what is shown once", async () => {
    expect(await runAction(formOf({}), async () => ({ message: "made", secret: "s" }))).toMatchObject({
      status: "done",
      message: "made",
      secret: "s",
    });
  });
});

describe("a text field", () => {
  it("counts empty as absent and refuses what the database cannot hold", () => {
    expect(textField(formOf({ name: "" }), "name")).toBeUndefined();
    expect(textField(formOf({ name: "Ana" }), "name")).toBe("Ana");
    expect(() => textField(formOf({ name: "A\0" }), "name")).toThrow("name holds a NUL character");
  });
});
