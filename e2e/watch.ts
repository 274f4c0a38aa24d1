import type { BrowserContext } from "@playwright/test";

/**
 * A status that a test asks for on purpose, and a network that it turns off, are not errors; the test checks them
 * itself.
 */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of 4\d\d |net::ERR_INTERNET_DISCONNECTED)/;

/**
 * Collects the errors of a window's pages: refusals of the content security policy, errors on the console, uncaught
 * ones.
 */
export async function watch(context: BrowserContext): Promise<string[]> {
  const complaints: string[] = [];
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(
        `policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile ?? ""}:${event.lineNumber} ${event.sample}`,
      );
    });
  });
  context.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED.test(message.text()))
      complaints.push(`${message.page()?.url() ?? ""} ${message.text()}`);
  });
  context.on("weberror", (error) => complaints.push(`${error.page()?.url() ?? ""} ${error.error().message}`));
  return complaints;
}
