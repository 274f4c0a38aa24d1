import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { publicSource, readPublicTools } from "@/lib/testing/public-tools";
import { createMeta } from "./create-meta";

const meta = createMeta(publicSource());

test.each([
  ["create an issue", "github.create_issue"],
  ["comment on an issue", "github.add_issue_comment"],
  ["merge PR", "github.merge_pull_request"],
  ["list commits of a branch", "github.list_commits"],
  ["read a file from a repository", "github.get_file_contents"],
  ["commit several files at once", "github.push_files"],
  ["search code", "github.search_code"],
  ["fork a repo", "github.fork_repository"],
  ["find users", "github.search_users"],
  ["who reviewed the pull request", "github.get_pull_request_reviews"],
  ["make a new branch", "github.create_branch"],
  ["take a screenshot", "playwright.browser_take_screenshot"],
  ["click a button", "playwright.browser_click"],
  ["filling forms", "playwright.browser_fill_form"],
  ["upload a file", "playwright.browser_file_upload"],
  ["go to a URL", "playwright.browser_navigate"],
  ["wait for text to appear", "playwright.browser_wait_for"],
  ["read cookies", "playwright.browser_cookie_list"],
  ["localStorage list", "playwright.browser_localstorage_list"],
  ["save page as PDF", "playwright.browser_pdf_save"],
  ["run JavaScript on the page", "playwright.browser_evaluate"],
  ["close the browser tab", "playwright.browser_tabs"],
  ["select from a dropdown", "playwright.browser_select_option"],
  ["simulate offline", "playwright.browser_network_state_set"],
  ["add two numbers", "everything.get-sum"],
  ["environment variables", "everything.get-env"],
  ["compress a file", "everything.gzip-file-as-resource"],
])(verifies("meta:search", "of 111 real tools, %j finds %s among the first three"), (query, expected) => {
  const { results } = meta.search({ query, limit: 3 }).data as { results: { name: string }[] };
  expect(results.map(({ name }) => name)).toContain(expected);
});

test(verifies("meta:size", "the four tools are at most a twentieth of what a hundred real tools send"), () => {
  const all = readPublicTools().flatMap(({ name, tools }) =>
    tools.map((tool) => ({ ...tool, name: `${name}__${tool.name}` })),
  );
  expect(all.length).toBeGreaterThanOrEqual(100);
  expect(meta.tools.map(({ name }) => name)).toEqual(["search", "load", "execute", "help"]);
  expect(JSON.stringify(meta.tools).length * 20).toBeLessThanOrEqual(JSON.stringify(all).length);
});
