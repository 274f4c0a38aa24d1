import fc from "fast-check";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import { metaTool, publicSource } from "@/lib/testing/public-tools";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { createMeta } from "./create-meta";
import type { Meta, MetaItem, MetaSource } from "./meta-source";
import { parseQuery } from "./parse-query";
import { toMetaPolicy } from "./to-meta-policy";
import { tokenize, tokenizeQuery } from "./tokenize";

const define = (name: string, description = "", properties: Record<string, unknown> = {}): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object", properties },
});

function open(items: readonly MetaItem[], more: Partial<MetaSource> = {}): Meta {
  const servers = [...new Set(items.flatMap(({ server }) => server ?? []))];
  return createMeta({ servers, items, unavailable: [], ...more });
}

interface Found {
  results: { name: string; server?: string; about: string; danger: string; policy: string }[];
  total: number;
  note?: string;
}

const find = (meta: Meta, query: string, limit?: number): Found =>
  meta.search({ query, ...(limit !== undefined && { limit }) }).data as unknown as Found;
const names = (found: Found) => found.results.map(({ name }) => name);

const crm = [
  metaTool("crm", {
    ...define("find_customer", "Looks up one customer. Ask for consent first.", { e_mail: { type: "string" } }),
    annotations: { readOnlyHint: true },
  }),
  metaTool("crm", { ...define("deleteCustomer", "Removes a customer"), annotations: { destructiveHint: true } }),
];
const wiki = [metaTool("wiki", define("find-page", "Finds a page"))];
const script = metaTool(null, define("scrape", "Scrapes a site"), { type: "python" });
const all = [...crm, ...wiki, script];

test.each([
  ["createPullRequest", ["creat", "pull", "request", "createpullrequest"]],
  ["create_pull-request.v2", ["creat", "pull", "request", "v2"]],
  ["HTTPServer", ["http", "server", "httpserver"]],
  ["merging merged merges merge", ["merg", "merg", "merg", "merg"]],
  ["repositories boxes classes status", ["repository", "box", "class", "status"]],
  ["顧客を削除", ["顧客", "客を", "を削", "削除"]],
])("the words of %j are %j", (text, expected) => {
  expect(tokenize(text)).toEqual(expected);
});

test("words that say nothing are left out of a query, unless there are no others", () => {
  expect(tokenizeQuery("how do I find the page")).toEqual(["find", "pag"]);
  expect(tokenizeQuery("what is it")).toEqual(["what", "is", "it"]);
});

test.each([
  ["mcp:* migration", { scope: "mcp", servers: [], types: [], text: "migration" }],
  ["database mcp:supabase migration", { scope: "mcp", servers: ["supabase"], types: [], text: "database migration" }],
  ["local:* scraper", { scope: "local", servers: [], types: [], text: "scraper" }],
  ["local:anything", { scope: "local", servers: [], types: [], text: "" }],
  ["type:bash TYPE:python deploy", { scope: null, servers: [], types: ["bash", "python"], text: "deploy" }],
  ["mcp:crm local:*", { scope: "local", servers: ["crm"], types: [], text: "" }],
  ["see http://x:1 time:now", { scope: null, servers: [], types: [], text: "see http://x:1 time:now" }],
] as const)("%j is read as %j", (query, expected) => {
  expect(parseQuery(query)).toEqual(expected);
});

test("modifiers limit a search, and alone they list what they leave, in the order of the list", () => {
  const meta = open(all);
  expect(names(find(meta, "mcp:crm"))).toEqual(["crm.find_customer", "crm.deleteCustomer"]);
  expect(names(find(meta, "mcp:*"))).toEqual(["crm.find_customer", "crm.deleteCustomer", "wiki.find-page"]);
  expect(names(find(meta, "mcp:wiki find"))).toEqual(["wiki.find-page"]);
  expect(names(find(meta, "local:*"))).toEqual(["scrape"]);
  expect(names(find(meta, "type:python"))).toEqual(["scrape"]);
  expect(names(find(meta, "type:mcp customer"))).toHaveLength(2);
  expect(names(find(meta, "type:tool"))).toHaveLength(4);
  expect(find(meta, "", 2)).toMatchObject({ results: [{}, {}], total: 4 });
});

test("a result is one line, with its danger and what the policy says", () => {
  expect(find(open(all), "remove customer").results[0]).toEqual({
    name: "crm.deleteCustomer",
    server: "crm",
    about: "Removes a customer",
    danger: "critical",
    policy: "ask",
  });
  expect(find(open(all), "find_customer").results[0]!.about).toBe("Looks up one customer.");
  const long = open([metaTool("x", define("y", `word${"\u202E"} ${"z".repeat(500)}`))]);
  const { about } = find(long, "word").results[0]!;
  expect(about.length).toBeLessThanOrEqual(140);
  expect(about).toContain("⟨U+202E⟩");
});

test("a word of the name counts more than one of the description, and that more than one of a parameter", () => {
  const meta = open([
    metaTool("a", define("one", "Something", { invoice: { type: "string" } })),
    metaTool("a", define("two", "An invoice")),
    metaTool("a", define("invoice", "Something")),
  ]);
  expect(names(find(meta, "invoice"))).toEqual(["a.invoice", "a.two", "a.one"]);
  expect(names(find(meta, "invoices"))).toEqual(["a.invoice", "a.two", "a.one"]);
  expect(names(find(meta, "invo"))).toEqual(["a.invoice", "a.two", "a.one"]);
});

test("a name that is given whole comes first, whatever else has its words", () => {
  const items = [
    metaTool("a", define("get_issue_get_issue", "Get issue get issue")),
    metaTool("a", define("get_issue", "Returns something else entirely, at great length and with many other words")),
  ];
  expect(names(find(open(items), "get_issue"))[0]).toBe("a.get_issue");
  expect(names(find(open(items), "a.get_issue"))[0]).toBe("a.get_issue");
});

test("equal items stay in the order of the list, and the same search gives the same answer", () => {
  const items = Array.from({ length: 30 }, (_, index) => metaTool(`s${index}`, define("ping", "Says hello")));
  const order = items.map(({ server }) => `${server}.ping`);
  expect(names(find(open(items), "ping hello", 30))).toEqual(order);
  expect(names(find(open(items.toReversed()), "ping hello", 30))).toEqual(order.toReversed());
  const { results, total } = find(open(items), "ping");
  expect([results.length, total]).toEqual([8, 30]);
});

test("nothing found says why: a server that does not exist, no local items, other words", () => {
  expect(find(open(all), "mcp:wikki page").note).toBe(
    'There is no server "wikki"; did you mean wiki. Servers: crm, wiki.',
  );
  expect(find(open(crm), "local:* x").note).toBe("There are no local items.");
  expect(find(open(all), "zebra").note).toContain("Nothing fits");
  expect(find(open(all), "page").note).toBeUndefined();
});

test("a server that cannot be reached is told, and stays among the servers that are named", () => {
  const unavailable = [{ server: "pay", reason: "it did not answer in time" }];
  const meta = open(crm, { servers: ["pay", "crm"], unavailable });
  expect(meta.search({ query: "refund" }).data).toMatchObject({ unavailable });
  expect(meta.tools[0]!.description).toContain("Servers: pay, crm.");
  expect(meta.resolveExecute({ tool: "pay.refund" })).toMatchObject({
    ok: false,
    answer: { data: { error: { message: expect.stringContaining("server pay cannot be reached now") } } },
  });
});

test("load gives several definitions at once, with danger and who is asked; unknown names get the nearest", () => {
  const asked = metaTool("crm", crm[1]!.definition, {
    policy: { decision: "ask", reason: "irreversible", approvers: ["ops"], minApprovals: 2, dependsOnArguments: true },
  });
  const answer = open([crm[0]!, asked]).load({
    names: ["crm.find_customer", "crm__deleteCustomer", "crm.findCustomers"],
  });
  expect(answer.isError).toBe(false);
  expect(answer.data).toMatchObject({
    tools: [
      {
        name: "crm.find_customer",
        input_schema: crm[0]!.definition.inputSchema,
        annotations: { readOnlyHint: true },
        danger: "safe",
        policy: { decision: "allow" },
      },
      {
        name: "crm.deleteCustomer",
        policy: {
          decision: "ask",
          reason: "irreversible",
          asked: ["ops"],
          approvals_needed: 2,
          may_differ: expect.anything(),
        },
        call: { tool: "crm.deleteCustomer", arguments: {} },
      },
    ],
    unknown: [
      { name: "crm.findCustomers", problem: "no such tool", nearest: expect.arrayContaining(["crm.find_customer"]) },
    ],
  });
  expect(open(crm).load({ names: ["nothing.like.it"] })).toMatchObject({ isError: true });
  expect(open(crm).load({})).toMatchObject({ isError: true, data: { error: { problems: ["names: is missing"] } } });
});

test("what a definition hides is shown by load as a person would have seen it", () => {
  const text = JSON.stringify(open([metaTool("a", define("b", "x\u200By"))]).load({ names: "a.b" }).data);
  expect(text).toContain("x⟨U+200B⟩y");
});

const schema = {
  type: "object",
  properties: {
    id: { type: "integer", minimum: 1 },
    state: { enum: ["open", "closed"] },
    note: { type: "string", description: "n".repeat(2_000) },
  },
  required: ["id"],
  additionalProperties: false,
};
const strict = open([metaTool("crm", { name: "set.state", inputSchema: schema })]);

test.each(["crm.set.state", "crm__set.state"])("execute resolves %s to server, tool and arguments", (tool) => {
  const target = { kind: "tool", server: "crm", tool: "set.state", arguments: { id: 1 } };
  expect(strict.resolveExecute({ tool, arguments: { id: 1 } })).toEqual({ ok: true, target });
  expect(strict.resolveExecute({ item_type: "tool", action: "call", item_id: tool, parameters: { id: 1 } })).toEqual({
    ok: true,
    target,
  });
});

test(
  verifies("meta:execute", "arguments that do not fit are refused with every problem and the part of the schema"),
  () => {
    const refused = strict.resolveExecute({ tool: "crm.set.state", arguments: { state: "opened", stat: 1 } });
    expect(refused).toMatchObject({
      ok: false,
      answer: {
        isError: true,
        data: {
          error: {
            code: "invalid_request",
            problems: expect.arrayContaining([
              "id: is missing",
              "stat: is not known; did you mean state",
              expect.stringMatching(/^state: .*"open", "closed"/),
            ]),
            schema: {
              required: ["id"],
              properties: { id: schema.properties.id, state: schema.properties.state },
              other_properties: ["note"],
            },
          },
        },
      },
    });
  },
);

test("a name of a tool alone is not guessed: the whole name is offered", () => {
  expect(open(crm).resolveExecute({ tool: "deleteCustomer" })).toMatchObject({
    ok: false,
    answer: { data: { error: { code: "not_found", nearest: expect.arrayContaining(["crm.deleteCustomer"]) } } },
  });
});

test("no tool can be reached by the name of another, whatever servers call their tools", () => {
  const items = [
    metaTool("a", define("b__c")),
    metaTool("a", define("b.c")),
    metaTool("b", define("c")),
    metaTool("kimitsu/files", define("read_file")),
  ];
  const resolve = (tool: string) => open(items).resolveExecute({ tool });
  expect(resolve("a.b__c")).toMatchObject({ target: { server: "a", tool: "b__c" } });
  expect(resolve("a__b.c")).toMatchObject({ target: { server: "a", tool: "b.c" } });
  expect(resolve("b__c")).toMatchObject({ target: { server: "b", tool: "c" } });
  expect(resolve("kimitsu-files__read_file")).toMatchObject({ target: { server: "kimitsu/files" } });
  expect(resolve("constructor")).toMatchObject({ ok: false });
});

test("a schema that cannot be applied leaves the arguments to the server", () => {
  const broken = open([metaTool("a", { name: "b", inputSchema: { type: "object", properties: { x: { type: 7 } } } })]);
  expect(broken.resolveExecute({ tool: "a.b", arguments: { x: 1 } })).toMatchObject({ ok: true });
});

test("help without a topic names servers and topics, and each topic has a short text", () => {
  const meta = open(all);
  const { topics, servers } = meta.help({}).data as { topics: string[]; servers: Record<string, number> };
  expect(servers).toEqual({ crm: 2, wiki: 1 });
  for (const topic of topics) {
    const { help } = meta.help({ topic }).data as { help: string };
    expect(help.length).toBeLessThan(800);
  }
  expect(meta.help({ topic: "aprovals" })).toMatchObject({ isError: true, data: { error: { nearest: "approvals" } } });
});

test("whatever a client sends is answered, and never throws", () => {
  const meta = createMeta(publicSource());
  const known = fc.record(
    {
      query: fc.oneof(fc.string(), fc.constantFrom("mcp:", "type:*", "local:", "__proto__", "toString")),
      limit: fc.oneof(fc.integer(), fc.string()),
      names: fc.oneof(fc.string(), fc.array(fc.string())),
      tool: fc.oneof(fc.string(), fc.constant("github.create_issue")),
      arguments: fc.anything(),
      topic: fc.oneof(fc.string(), fc.constant("__proto__")),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), known), (args) => {
      for (const answer of [meta.search(args), meta.load(args), meta.help(args)]) JSON.stringify(answer.data);
      meta.resolveExecute(args);
    }),
    { numRuns: 200 },
  );
});

test("the policy's answer is told with who is asked", () => {
  const judged = {
    danger: { level: "high", readOnly: false, destructive: false, reason: "" },
    trace: [],
    budgetUsd: null,
  } as const;
  const rule = { ...DEFAULT_APPROVAL_RULE, approvers: ["ops"], minApprovals: 2 };
  expect(toMetaPolicy({ ...judged, trace: [], decision: "ask", reason: "why", rule }, true)).toEqual({
    decision: "ask",
    reason: "why",
    approvers: ["ops"],
    minApprovals: 2,
    dependsOnArguments: true,
  });
  expect(toMetaPolicy({ ...judged, trace: [], decision: "allow" }, false)).toMatchObject({ decision: "allow" });
  expect(
    toMetaPolicy({ ...judged, trace: [], decision: "deny", code: "plan_mode", reason: "no" }, false),
  ).toMatchObject({ decision: "deny", reason: "no" });
});
