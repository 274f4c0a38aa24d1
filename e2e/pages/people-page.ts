import type { Locator, Page } from "@playwright/test";

export class PeoplePage {
  readonly dialog: Locator;

  constructor(readonly page: Page) {
    this.dialog = page.getByRole("dialog");
  }

  /** Shows only matching people, as the list holds the people of other tests too. */
  async open(q = ""): Promise<void> {
    await this.page.goto(`/settings/people?q=${encodeURIComponent(q)}`);
  }

  row(name: string): Locator {
    return this.page.getByRole("row").filter({ hasText: name });
  }

  role(name: string): Locator {
    return this.page.getByRole("combobox", { name: `Role of ${name}` });
  }

  async chooseRole(name: string, role: string): Promise<void> {
    await this.role(name).selectOption({ label: role });
    await this.dialog.getByRole("button", { name: "Change role" }).click();
  }

  async fillNewPerson(facts: { email: string; name: string; role: string; password?: string }): Promise<void> {
    await this.page.getByRole("button", { name: "Add a person" }).click();
    await this.dialog.getByLabel("E-mail").fill(facts.email);
    await this.dialog.getByLabel("Name").fill(facts.name);
    await this.dialog.getByLabel("Role").selectOption({ label: facts.role });
    if (facts.password !== undefined) await this.dialog.getByLabel("Password (optional)").fill(facts.password);
    await this.dialog.getByRole("button", { name: "Add", exact: true }).click();
  }

  async chooseAction(name: string, action: string): Promise<void> {
    await this.page.getByRole("button", { name: `Actions for ${name}` }).click();
    await this.page.getByRole("menuitem", { name: action }).click();
  }

  async disable(name: string): Promise<void> {
    await this.chooseAction(name, "Disable the account…");
    await this.dialog.getByRole("button", { name: "Disable" }).click();
  }
}
