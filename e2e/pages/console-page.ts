import type { Locator, Page } from "@playwright/test";

/** The frame around every page of the console. */
export class ConsolePage {
  readonly nav: Locator;
  readonly account: Locator;

  constructor(readonly page: Page) {
    // There are two, one for each width; only one is ever visible.
    this.nav = page.getByRole("navigation", { name: "Main" }).filter({ visible: true });
    this.account = page.getByRole("button", { name: /Account menu/ });
  }

  heading(name: string): Locator {
    return this.page.getByRole("heading", { level: 1, name });
  }

  async destinations(): Promise<string[]> {
    const links = this.nav.getByRole("listitem").getByRole("link");
    await links.first().waitFor();
    return links.allInnerTexts();
  }

  async signOut(): Promise<void> {
    await this.account.click();
    await this.page.getByRole("menuitem", { name: "Sign out" }).click();
  }

  toast(text: string | RegExp): Locator {
    return this.page.getByRole("region", { name: "Notifications" }).getByText(text);
  }
}
