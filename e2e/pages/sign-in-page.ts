import { expect, type Locator, type Page } from "@playwright/test";

export class SignInPage {
  readonly email: Locator;
  readonly password: Locator;
  readonly submit: Locator;
  readonly problem: Locator;

  constructor(readonly page: Page) {
    this.email = page.getByLabel("E-mail");
    this.password = page.getByLabel("Password", { exact: true });
    this.submit = page.getByRole("button", { name: "Sign in" });
    // Next keeps an empty alert of its own for announcing routes.
    this.problem = page.getByRole("alert").filter({ hasText: /\S/ });
  }

  async open(next?: string): Promise<void> {
    await this.page.goto(next === undefined ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`);
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.email.fill(email);
    await this.password.fill(password);
    await this.submit.click();
  }

  async expectRefusal(text: string | RegExp): Promise<void> {
    await expect(this.problem).toContainText(text);
    expect(new URL(this.page.url()).pathname).toBe("/sign-in");
  }
}
