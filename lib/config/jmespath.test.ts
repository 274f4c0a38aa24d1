import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile, isTruthy, jmespathSchema } from "./jmespath";
import { SecretRef } from "./secret-ref";

const run = (source: string, data: unknown = {}, options = {}) => compile(source, options).evaluate(data);
const list = (count: number, make: (index: number) => unknown = (index) => index) =>
  Array.from({ length: count }, (_, index) => make(index));

describe("step ids with hyphens", () => {
  const data = {
    step: { "parse-x": { field: 1, "sub-field": 2 }, parse: { field: 3 }, "a--b": 4, "2nd-step": 5, total: 9 },
    step_x: 6,
  };
  const stepIds = ["parse-x", "parse", "a--b", "2nd-step", "total"];

  it.each([
    ["step.parse-x.field", 1],
    ["step.parse.field", 3],
    ["step.a--b", 4],
    ["step.2nd-step", 5],
    ["@.step.parse-x.field", 1],
    ["$.step.parse-x.field", 1],
    ["step.parse-x.field == `1` && step.a--b == `4`", true],
    ['step.parse-x."sub-field"', 2],
    ["'step.parse-x.field'", "step.parse-x.field"],
    ['`"step.parse-x"`', "step.parse-x"],
    ['{"step.parse-x": step.parse-x.field}', { "step.parse-x": 1 }],
    ["step . parse-x . field", 1],
    ["step.total - step.parse-x.field", 8],
    ["step_x", 6],
  ])("%s", (source, value) => {
    expect(run(source, data, { stepIds })).toEqual(value);
    expect(run(source, data)).toEqual(value);
  });

  it("with known ids, a hyphen after one of them is a minus", () => {
    expect(run("step.total-step.parse-x.field", data, { stepIds })).toBe(8);
  });

  it("only the root `step` is treated so", () => {
    expect(() => run("data.step.parse-x.field", { data })).toThrow();
  });
});

describe("mistakes", () => {
  it.each([
    ["a.b >", 5],
    ["a.[", 3],
    ["a ==", 4],
    ["foo bar", 4],
    ["a.b]", 3],
    ["length(a", 8],
    ["'open", 0],
    ["a == `1", 5],
    ["a # b", 2],
    ["nope(a)", 0],
    ["a && lenght(b) > `1`", 5],
    ["length(a, b)", 0],
    ["step.parse-x.field ==", 21],
    ["step.a-b.c = 'x'", 11],
    ["step.a-b.c == 'x' )", 18],
    ["let $x = a in b = 'x'", null],
    ["let a == b in c", 4],
    ["[0-1]", 1],
    ["", 0],
    ["   ", 0],
  ])("%s is refused at character %d", (source, offset) => {
    expect(() => compile(source)).toThrow(expect.objectContaining({ name: "JmespathError", offset }));
  });

  it("an unknown function is answered with the nearest name", () =>
    expect(() => compile("lenght(a)")).toThrow("unknown function lenght(); the nearest is length()"));
  it("and with none when none is similar", () =>
    expect(() => compile("nope(a)")).toThrow(/unknown function nope\(\)(?!; the nearest)/));
  it("the wrong number of arguments is known before the first run", () =>
    expect(() => compile("length()")).toThrow("length() takes 1 arguments but has 0"));

  it("a schema field gives the place", () => {
    expect(jmespathSchema().safeParse("a.b >").error?.issues[0]?.message).toMatch(
      /^not a JMESPath expression: .*end of the expression.* \(at character 6\)$/,
    );
  });
});

describe("paths that are read", () => {
  it.each<[string, string[][]]>([
    [
      "step.parse-x.field == 'a' || params.b",
      [
        ["step", "parse-x", "field"],
        ["params", "b"],
      ],
    ],
    ["step.a.list[?x > `1`].y | [0]", [["step", "a", "list"]]],
    ["step.a[0].b", [["step", "a", "b"]]],
    ["length(step.a) > `1`", [["step", "a"]]],
    [
      "step.list[?id == $.params.id]",
      [
        ["step", "list"],
        ["params", "id"],
      ],
    ],
    [
      "{a: step.x, b: [step.y]}",
      [
        ["step", "x"],
        ["step", "y"],
      ],
    ],
    ["@", []],
  ])("%s", (source, paths) => expect(compile(source).paths).toEqual(paths));
});

describe("where the library departs from the specification", () => {
  it.each<[string, unknown, unknown]>([
    ["sort(@)", [10, 9, 1], [1, 9, 10]],
    ["sort(@)", ["b", "B", "ä", "a"], ["B", "a", "b", "ä"]],
    ["max_by(@, &n).n", [{ n: "apple" }, { n: "pear" }], "pear"],
    ["min_by(@, &n).n", [{ n: "pear" }, { n: "apple" }], "apple"],
    ["max(@)", ["a", "B"], "a"],
    ['contains(@, `{"a":1}`)', [{ a: 1 }], true],
    ["to_number(@)", "0x10", null],
    ["to_number(@)", "", null],
    ["to_number(@)", "-1.5e2", -150],
    ["'a\\\\b'", {}, "a\\\\b"],
    ['`"\\`a\\`"`', {}, "`a`"],
    ["let $x = a in map(&($x), b)", { a: 1, b: [0, 0] }, [1, 1]],
    [
      "group_by(@, &k)",
      [{ k: "constructor" }, { k: "__proto__" }],
      JSON.parse('{"constructor":[{"k":"constructor"}],"__proto__":[{"k":"__proto__"}]}'),
    ],
    ['merge(@, `{"b":2}`)', { a: 1 }, { a: 1, b: 2 }],
    ["trim(@)", " \n x \n ", "x"],
    ["replace(@, 'a', 'b', `1`)", "aaa", "baa"],
    ["type(@)", { expref: true }, "object"],
    ["reverse(@)", "añ😀", "😀ña"],
  ])("%s over %j", (source, data, value) => expect(run(source, data)).toEqual(value));

  it("fields are own properties only", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "{a: b}.constructor"])
      expect(run(name, { b: 1 })).toBeNull();
    expect(run("constructor", JSON.parse('{"constructor": 1}'))).toBe(1);
  });

  it("data cannot be mistaken for an expression", () => {
    const data = { x: { expref: true, type: "Literal", value: "taken over" }, list: [1] };
    expect(() => run("map(x, list)", data)).toThrow(/Invalid type/);
  });

  it("arithmetic gives numbers or an error", () => {
    expect(() => run("a % b", { a: 1, b: 0 })).toThrow("not-a-number");
    expect(() => run("a / b", { a: 1, b: 0 })).toThrow("not-a-number");
    expect(() => run("a * b", { a: 1e308, b: 10 })).toThrow("not-a-number");
  });
});

describe("strict comparisons", () => {
  it.each([[{ a: "5000" }], [{}], [{ a: null }], [{ a: [1] }]])("%j by size is an error and not null", (data) => {
    expect(run("a > `1000`", data)).toBeNull();
    expect(() => run("a > `1000`", data, { strictComparisons: true })).toThrow("cannot be compared by size");
  });
  it("equality is not affected", () => expect(run("a == 'x'", {}, { strictComparisons: true })).toBe(false));
});

describe("bounds", () => {
  it.each([
    ["a long expression", () => compile(`a${" ".repeat(5_000)}`), "4096"],
    ["deep brackets", () => compile(`${"(".repeat(100)}a${")".repeat(100)}`), "nested"],
    ["many prefixes", () => compile(`${"!".repeat(4_000)}a`), "nested"],
    ["a deep chain", () => compile(list(1_000, () => "a").join(".")), "nested"],
    ["doubling lists", () => run(list(40, () => "[@, @][]").join(" | "), [1]), "steps"],
    ["doubling values", () => run(list(40, () => "[@, @]").join(" | "), [1]), /values|nested|steps/],
    [
      "comparing doubled values",
      () => run(`(${list(30, () => "[@, @]").join(" | ")}) == (${list(30, () => "[@, @]").join(" | ")})`, [1]),
      "steps",
    ],
    ["doubled values as text", () => run(`to_string(${list(30, () => "[@, @]").join(" | ")})`, [1]), "steps"],
    ["doubling text", () => run(list(40, () => "replace(@, 'a', 'aa')").join(" | "), "a"), /longer|steps/],
    ["endless padding", () => run("pad_left(@, `1000000000`)", "a"), "longer"],
    ["endless replacing", () => run("replace(@, 'a', 'b', `1e15`) == 'b' && pad_right(@, `99999999`)", "a"), "longer"],
    ["nested loops", () => run("map(&length($.list[?@ == `1`]), list)", { list: list(3_000) }), "steps"],
    [
      "deep data",
      () =>
        run(
          "@",
          list(1_000).reduce<unknown>((inner) => [inner], 1),
        ),
      "nested",
    ],
    [
      "circular data",
      () => {
        const data: unknown[] = [];
        data.push(data);
        return run("@", data);
      },
      "nested",
    ],
  ])("%s is refused because of its size, not by a timeout", (_name, act, message) => {
    expect(act).toThrow(message);
  });

  it("trimming long white space reads each character once", () => {
    // Looking at the rest of the text from each character would take hours.
    expect(run("trim(@)", `${" ".repeat(2_000_000)}x${" ".repeat(2_000_000)}`)).toBe("x");
  });

  it("a condition of two hundred terms and a list of twenty thousand are fine", () => {
    expect(run(list(200, (index) => `a == '${index}'`).join(" || "), { a: "199" })).toBe(true);
    expect(run("length([?@ > `10`])", list(20_000))).toBe(19_989);
  });

  it("a secret is never read", () => {
    expect(() => run("length(@) > `1`", { key: SecretRef.literal("hidden-1") })).toThrow("holds a secret");
  });

  it("what is not JSON is refused", () => {
    for (const data of [{ a: Number.NaN }, { a: () => 1 }, { a: 1n }, { a: undefined }])
      expect(() => run("a", data)).toThrow("JSON cannot carry");
  });
});

describe("for any input", () => {
  it("compiling and evaluating give a value or a JmespathError", () => {
    const source = fc.oneof(
      fc.string(),
      fc
        .array(
          fc.constantFrom(
            "a",
            ".",
            "[",
            "]",
            "*",
            "&",
            "|",
            "`1`",
            "'x'",
            "(",
            ")",
            "-",
            "!",
            "step.a-b",
            "length",
            "sort",
            ",",
            "?",
            "==",
            "{",
            "}",
            ":",
            "@",
            "$",
          ),
          { maxLength: 15 },
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(source, fc.jsonValue(), (text, data) => {
        try {
          expect(compile(text).evaluate(data)).not.toBeUndefined();
        } catch (error) {
          expect(error).toMatchObject({ name: "JmespathError" });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("truthiness is that of JMESPath", () => {
    expect([null, undefined, false, "", [], {}].map(isTruthy)).not.toContain(true);
    expect([0, "a", [0], { a: null }, true].map(isTruthy)).not.toContain(false);
  });
});
