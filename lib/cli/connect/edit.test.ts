import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { CLIENT_FACTS, type ClientEntry, variableOf } from "@/lib/cli/connect/clients";
import { editJson } from "@/lib/cli/connect/edit-json";
import { editToml } from "@/lib/cli/connect/edit-toml";

const URL = "https://kimitsu.example.org/mcp";
const FACTS = { name: "kimitsu", url: URL, token: "kmt_secret", variable: "KIMITSU_TOKEN" } as const;
const MACHINE = { home: "/home/ana", folder: "/srv/app", platform: "linux", variables: {} };

const json = (value: unknown): ClientEntry => ({
  format: "json",
  values: [{ path: ["mcpServers", "kimitsu"], value }],
});

describe("an entry in a JSON file", () => {
  test(verifies("connect:writes", "is added, and comments, order and other entries stay as they are"), () => {
    const before = `{
    // my own server
    "mcpServers": {
        "files": { "command": "npx" }, /* kept */
    },
    "theme": "dark", // the last
}
`;
    const after = editJson(before, json({ url: URL }), "mcp.json");
    const [added, ...others] = [`        "kimitsu": {\n            "url": "${URL}"\n        },\n`, ""];
    expect(after).toContain(added);
    expect(after.replace(added!, others[0]!), "everything else, to the letter").toBe(before);
  });

  test.each([
    ['{"a":1}', '{\n  "mcpServers": {\n    "kimitsu": {\n      "url": "u"\n    }\n  },\n  "a":1}'],
    ['{ "mcpServers": {} }\n', '{ "mcpServers": {\n  "kimitsu": {\n    "url": "u"\n  }\n} }\n'],
    [
      "{\n\t// none yet\n}\n",
      '{\n\t"mcpServers": {\n\t\t"kimitsu": {\n\t\t\t"url": "u"\n\t\t}\n\t}\n\t// none yet\n}\n',
    ],
  ])("fits into %j", (before, after) => {
    expect(editJson(before, json({ url: "u" }), "mcp.json")).toBe(after);
  });

  test(verifies("connect:writes", "replaces the one of the same name and nothing else"), () => {
    const before = `{\n  "mcpServers": {\n    "kimitsu": { "url": "http://old" },\n    "other": 1\n  }\n}\n`;
    const after = JSON.parse(editJson(before, json({ url: URL }), "mcp.json")) as unknown;
    expect(after).toEqual({ mcpServers: { kimitsu: { url: URL }, other: 1 } });
  });

  test("is written into a file that does not exist yet", () => {
    expect(JSON.parse(editJson("", json({ url: URL }), "mcp.json"))).toEqual({ mcpServers: { kimitsu: { url: URL } } });
  });

  test.each([
    ["{ not json", /^mcp\.json:1 is not JSON/],
    ['{\n  "mcpServers": {\n    "a": \n  }\n}', /^mcp\.json:4 is not JSON \(ValueExpected\), so nothing was written/],
    ["[]", /^mcp\.json: the file is not an object/],
    ['{ "mcpServers": [] }', /^mcp\.json: mcpServers is not an object/],
  ])(verifies("connect:writes", "is refused for %j"), (text, message) => {
    expect(() => editJson(text, json({ url: URL }), "mcp.json")).toThrow(message);
  });

  test("asks for VS Code's token once, however often it is written, beside other inputs", () => {
    const entry = CLIENT_FACTS.vscode.entry({ ...FACTS, place: "asked" });
    const before = '{\n  "inputs": [{ "type": "promptString", "id": "other" }],\n  "servers": {}\n}\n';
    const once = editJson(before, entry, "mcp.json");
    const twice = JSON.parse(editJson(once, entry, "mcp.json")) as { inputs: { id: string }[]; servers: object };
    expect(twice.inputs.map(({ id }) => id)).toEqual(["kimitsu-token", "other"]);
    expect(Object.keys(twice.servers)).toEqual(["kimitsu"]);
    expect(once).not.toContain("kmt_");
  });
});

describe("a table in a TOML file", () => {
  const entry = CLIENT_FACTS.codex.entry({ ...FACTS, place: "variable" });
  const table = `[mcp_servers.kimitsu]\nurl = "${URL}"\nbearer_token_env_var = "KIMITSU_TOKEN"\n`;

  test(verifies("connect:writes", "comes after the last, and what was there stays as it is"), () => {
    const before = `# mine\nmodel = "gpt" # fast\n\n[mcp_servers.files]\ncommand = "npx"\n`;
    expect(editToml(before, entry, "config.toml")).toBe(`${before}\n${table}`);
    expect(editToml("", entry, "config.toml")).toBe(table);
  });

  test(verifies("connect:writes", "replaces the one of the same name, without what belongs to the next"), () => {
    const before = `[mcp_servers.kimitsu]\nurl = "http://old"\nstartup_timeout_sec = 5\n\n# about files\n[mcp_servers.files]\ncommand = "npx"\n`;
    expect(editToml(before, entry, "config.toml")).toBe(
      `${table}\n# about files\n[mcp_servers.files]\ncommand = "npx"\n`,
    );
  });

  test.each([
    ["model = ", /^config\.toml:1 is not TOML/],
    ['mcp_servers = { kimitsu = { url = "http://old" } }\n', /config\.toml/],
  ])(verifies("connect:writes", "is refused for %j"), (text, message) => {
    expect(() => editToml(text, entry, "config.toml")).toThrow(message);
  });
});

describe("a client's file", () => {
  test(verifies("connect:secret", "of a project names a variable, and no client has a token in an address"), () => {
    for (const client of ["claude-code", "cursor", "gemini", "codex"] as const) {
      const placed = CLIENT_FACTS[client].place("project", MACHINE);
      expect(placed, client).toMatchObject({ token: "variable", file: expect.stringMatching(/^\/srv\/app\/\./) });
      const text = JSON.stringify(CLIENT_FACTS[client].entry({ ...FACTS, place: "variable" }));
      expect(text, client).not.toContain(FACTS.token);
      expect(text, client).toContain("KIMITSU_TOKEN");
    }
    for (const [client, { entry }] of Object.entries(CLIENT_FACTS))
      expect(JSON.stringify(entry({ ...FACTS, place: "inside" })), client).toContain(`"${URL}"`);
    expect(CLIENT_FACTS.zed.place("project", MACHINE)).toHaveProperty("refusal");
  });

  test.each([
    ["claude-code", {}, "/home/ana/.claude.json"],
    ["claude-code", { CLAUDE_CONFIG_DIR: "/cfg" }, "/cfg/.claude.json"],
    ["cursor", {}, "/home/ana/.cursor/mcp.json"],
    ["vscode", {}, "/home/ana/.config/Code/User/mcp.json"],
    ["codex", { CODEX_HOME: "/codex" }, "/codex/config.toml"],
    ["gemini", {}, "/home/ana/.gemini/settings.json"],
    ["zed", { XDG_CONFIG_HOME: "/xdg" }, "/xdg/zed/settings.json"],
  ] as const)("of %s with %j is %s", (client, variables, file) => {
    expect(CLIENT_FACTS[client].place("user", { ...MACHINE, variables })).toMatchObject({ file });
  });

  test("has a variable that a shell can set", () => {
    expect([variableOf("kimitsu"), variableOf("my-tools")]).toEqual(["KIMITSU_TOKEN", "MY_TOOLS_TOKEN"]);
  });
});
