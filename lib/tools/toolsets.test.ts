import { expect, test } from "vitest";
import fc from "fast-check";
import { createToolNames, MODEL_NAME_LENGTH_MAX } from "./tool-names";
import {
  applyLoadToolset,
  describeLoadToolset,
  initialToolsets,
  loadRecorded,
  type OfferedTool,
  selectTools,
} from "./toolsets";

function tool(server: string, name: string, toolset: string | null, readOnly: boolean): OfferedTool {
  return { server, toolset, readOnly, definition: { name, inputSchema: { type: "object" } } };
}

const tools = [
  tool("wiki", "search", null, true),
  tool("crm", "find", "crm", true),
  tool("crm", "delete", "crm", false),
  tool("pay", "refund", "pay", false),
];
const names = (offered: OfferedTool[]) => offered.map((each) => each.definition.name);

test("tools without a toolset are always offered, the others only when loaded", () => {
  expect(names(selectTools(tools, {}))).toEqual(["search"]);
  expect(names(selectTools(tools, initialToolsets(["crm"])))).toEqual(["search", "find"]);
  expect(names(selectTools(tools, initialToolsets([{ name: "crm", write: true }])))).toEqual([
    "search",
    "find",
    "delete",
  ]);
});

test("a toolset that is listed twice has its write tools if one entry says so", () => {
  expect(initialToolsets(["crm", { name: "crm", write: true }, { name: "crm", write: false }])).toEqual({
    crm: { writes: true },
  });
});

test("what is loaded follows from the recorded calls, in any process", () => {
  const initial = initialToolsets(["pay"]);
  expect(loadRecorded(initial, [])).toBe(initial);
  const calls = [{ toolset: "crm", include_write_tools: true }, { toolset: "crm" }, { no: "sense" }];
  expect(loadRecorded(initial, calls)).toEqual({ pay: { writes: false }, crm: { writes: true } });
});

test("loading leaves write tools out unless they are asked for", () => {
  const first = applyLoadToolset(tools, {}, { toolset: "crm" });
  expect(first).toMatchObject({ is_error: false, loaded: { crm: { writes: false } } });
  expect(first.output).toContain("crm.find");
  expect(first.output).toContain("include_write_tools");
  expect(names(selectTools(tools, first.loaded))).toEqual(["search", "find"]);
  const second = applyLoadToolset(tools, first.loaded, { toolset: "crm", include_write_tools: true });
  expect(names(selectTools(tools, second.loaded))).toEqual(["search", "find", "delete"]);
});

test("loading again without write tools takes nothing away", () => {
  const { loaded } = applyLoadToolset(tools, initialToolsets([{ name: "crm", write: true }]), { toolset: "crm" });
  expect(names(selectTools(tools, loaded))).toEqual(["search", "find", "delete"]);
});

test.each([
  [{ toolset: "none" }],
  [{ toolset: "constructor" }],
  [{}],
  [null],
  [{ toolset: "crm", include_write_tools: "yes" }],
  [{ toolset: "crm", all: true }],
])("%j changes nothing and the answer says what would be right", (args) => {
  const answer = applyLoadToolset(tools, {}, args);
  expect(answer).toMatchObject({ is_error: true, loaded: {} });
  expect(answer.output.length).toBeGreaterThan(20);
});

test("load_toolset names what is not loaded, and is not offered when everything is", () => {
  const schema = describeLoadToolset(tools, initialToolsets([{ name: "crm", write: true }]))?.inputSchema as {
    properties: { toolset: { enum: string[] } };
  };
  expect(schema.properties.toolset.enum).toEqual(["pay"]);
  expect(
    describeLoadToolset(
      tools,
      initialToolsets([
        { name: "crm", write: true },
        { name: "pay", write: true },
      ]),
    ),
  ).toBeNull();
});

test("plain names stay plain and lead back to their tool", () => {
  const toolNames = createToolNames([
    { server: "crm", tool: "delete_record" },
    { server: "kimitsu/files", tool: "read_file" },
  ]);
  expect(toolNames.toModel({ server: "crm", tool: "delete_record" })).toBe("mcp__crm__delete_record");
  expect(toolNames.toModel({ server: "kimitsu/files", tool: "read_file" })).toBe("mcp__kimitsu-files__read_file");
  expect(toolNames.fromModel("mcp__kimitsu-files__read_file")).toEqual({ server: "kimitsu/files", tool: "read_file" });
  expect(toolNames.fromModel("mcp__crm__other")).toBeNull();
});

test("names that differ only in characters that providers do not accept stay apart, whatever else is offered", () => {
  const dotted = { server: "crm", tool: "a.b" };
  const alone = createToolNames([dotted]).toModel(dotted);
  const together = createToolNames([{ server: "crm", tool: "a_b" }, dotted]);
  expect(together.toModel(dotted)).toBe(alone);
  expect(together.toModel({ server: "crm", tool: "a_b" })).toBe("mcp__crm__a_b");
});

test("a tool that takes the hashed name of another is not mistaken for it", () => {
  const dotted = { server: "crm", tool: "a.b" };
  const taken = createToolNames([dotted]).toModel(dotted).slice("mcp__crm__".length);
  const toolNames = createToolNames([dotted, { server: "crm", tool: taken }]);
  expect(toolNames.fromModel(toolNames.toModel(dotted))).toEqual(dotted);
  expect(toolNames.fromModel(`mcp__crm__${taken}`)).toEqual({ server: "crm", tool: taken });
});

test("any set of tools has different, acceptable names that lead back", () => {
  const server = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);
  const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/);
  fc.assert(
    fc.property(fc.array(fc.record({ server, tool: name }), { maxLength: 30 }), (addresses) => {
      const toolNames = createToolNames(addresses);
      for (const address of addresses) {
        const model = toolNames.toModel(address);
        expect(model).toMatch(/^mcp__[A-Za-z0-9_-]+$/);
        expect(model.length).toBeLessThanOrEqual(MODEL_NAME_LENGTH_MAX);
        expect(toolNames.fromModel(model)).toEqual(address);
      }
    }),
  );
});
