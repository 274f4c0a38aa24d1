import type { Locator, Page } from "@playwright/test";

export class TokensPage {
  readonly dialog: Locator;

  constructor(readonly page: Page) {
    this.dialog = page.getByRole("dialog");
  }

  async open(): Promise<void> {
    await this.page.goto("/settings/tokens");
  }

  row(name: string): Locator {
    return this.page.getByRole("row").filter({ hasText: name });
  }

  /** Makes a token and gives what the dialog shows. */
  async make(facts: { name: string; scopes: string[]; profile?: string }): Promise<string> {
    await this.page.getByRole("button", { name: "New token" }).click();
    await this.dialog.getByRole("textbox", { name: "Name" }).fill(facts.name);
    for (const scope of facts.scopes) await this.dialog.getByRole("checkbox", { name: scope }).check();
    if (facts.profile) await this.dialog.getByRole("combobox", { name: "Profile" }).selectOption(facts.profile);
    await this.dialog.getByRole("button", { name: "Make the token" }).click();
    return this.dialog.getByTestId("secret").innerText();
  }

  async revoke(name: string): Promise<void> {
    await this.page.getByRole("button", { name: `Revoke ${name}` }).click();
    await this.dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  }
}
