import type { Locator, Page } from "@playwright/test";

/** The page of one run, and its views. */
export class RunPage {
  readonly facts: Locator;
  readonly views: Locator;
  readonly map: Locator;

  constructor(readonly page: Page) {
    this.facts = page.getByRole("region", { name: "Facts" });
    this.views = page.getByRole("navigation", { name: "Views of this run" });
    this.map = page.getByRole("region", { name: "Steps of this run" });
  }

  async open(runId: string, view = ""): Promise<void> {
    await this.page.goto(`/history/${runId}${view}`);
    await this.facts.waitFor();
  }

  async show(view: "Timeline" | "Conversation" | "Approvals" | "Events"): Promise<void> {
    await this.views.getByRole("link", { name: view }).click();
  }

  runId(): string {
    return /run_[0-9a-z]{26}/.exec(this.page.url())?.[0] ?? "";
  }
}
