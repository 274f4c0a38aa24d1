import type { Locator, Page } from "@playwright/test";

export class AuditPage {
  readonly events: Locator;
  readonly filter: Locator;

  constructor(readonly page: Page) {
    this.events = page.getByRole("region", { name: "Events, newest first" }).getByRole("listitem");
    this.filter = page.getByRole("search", { name: "Filter the trail" });
  }

  async open(params: Record<string, string> = {}): Promise<void> {
    await this.page.goto(`/audit?${new URLSearchParams(params)}`);
  }

  async narrow(facts: { type?: string; actor?: string }): Promise<void> {
    if (facts.type !== undefined) await this.filter.getByLabel("Type").fill(facts.type);
    if (facts.actor !== undefined) await this.filter.getByLabel("Actor").fill(facts.actor);
    await this.filter.getByRole("button", { name: "Filter" }).click();
  }

  /** What distinguishes events: "system · 12" is hidden on narrow screens, but always part of the opened row. */
  async places(): Promise<string[]> {
    await this.events.first().waitFor();
    return this.events.locator("summary > code:last-child").allInnerTexts();
  }
}
