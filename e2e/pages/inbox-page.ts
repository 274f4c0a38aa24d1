import { expect, type Locator, type Page } from "@playwright/test";

/** The queue and the card of one call. */
export class InboxPage {
  readonly card: Locator;
  readonly queue: Locator;
  /** Where it is decided. */
  readonly foot: Locator;
  readonly approve: Locator;
  readonly reject: Locator;
  readonly edit: Locator;

  constructor(readonly page: Page) {
    this.card = page.getByRole("article");
    this.queue = page.getByRole("list", { name: "Pending approvals" });
    this.foot = this.card.locator("> [data-foot]");
    this.approve = this.card.getByRole("button", { name: /^Approve/ });
    this.reject = this.card.getByRole("button", { name: /^Reject/ });
    this.edit = this.card.getByRole("button", { name: /^Edit/ });
  }

  async open(approvalId: string, search = ""): Promise<void> {
    await this.page.goto(`/inbox/${approvalId}${search}`);
    await this.card.waitFor();
    await this.untilStill();
  }

  /** A card that appeared a moment ago accepts no decision; nobody reads it sooner, but a test would press. */
  async untilStill(): Promise<void> {
    await expect(this.foot.locator('[data-still="false"]')).toHaveCount(0);
  }

  /** Scrolls through the arguments, as someone does who reads them; dangerous calls are approved only after that. */
  async readArguments(): Promise<void> {
    for (const row of await this.card.getByRole("row").all()) {
      await row.evaluate((element) => {
        element.scrollIntoView({ block: "center" });
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      });
    }
  }

  row(approvalId: string): Locator {
    return this.queue.locator(`[data-row="${approvalId}"]`);
  }

  /** The page answers keys only once its scripts run; the button that opens the map proves that they do. */
  async untilAlive(): Promise<void> {
    const map = this.page.getByRole("dialog", { name: "Keys of the inbox" });
    while (!(await map.isVisible())) {
      await this.page.getByRole("button", { name: "Keyboard map" }).click();
      await map.waitFor({ timeout: 1_000 }).catch(() => undefined);
    }
    await this.closeMap();
  }

  /**
   * Its content is removed a moment after the browser has hidden it, and only then does the page know that it is
   * closed.
   */
  async closeMap(): Promise<void> {
    await this.page.keyboard.press("Escape");
    await this.page.getByText("They work wherever nobody writes.").waitFor({ state: "detached" });
  }
}
