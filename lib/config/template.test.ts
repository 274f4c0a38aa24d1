import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSecret, SecretRef } from "./secret-ref";
import { hasTemplate, listReferences, parseTemplates, renderTemplate, TemplateError } from "./template";

const scope = {
  params: {
    name: "Ana",
    count: 3,
    list: [1, { deep: "x" }],
    nothing: null,
    key: SecretRef.env("KEY"),
    "a b": 1,
    holder: { inner: SecretRef.env("KEY") },
  },
  env: { REGION: "eu", TOKEN: SecretRef.literal("hidden-1") },
  step: { "parse-x": { text: "hello", "sub-field": { n: 1 } }, plain: "text" },
  item: { id: 7 },
  item_index: 2,
};

describe("rendering", () => {
  it.each<[string, unknown]>([
    ["{{ params.count }}", 3],
    ["{{params.count}}", 3],
    ["{{ params.list }}", [1, { deep: "x" }]],
    ["{{ params.list.1.deep }}", "x"],
    ["{{ params.list[1].deep }}", "x"],
    ['{{ params["a b"] }}', 1],
    ["{{ params.nothing }}", null],
    ["{{ step.parse-x.text }}", "hello"],
    ["{{ step.parse-x.sub-field.n }}", 1],
    ["{{ step.plain }}", "text"],
    ["{{ item }}", { id: 7 }],
    ["{{ item.id }}", 7],
    ["{{ item_index }}", 2],
    ["{{ env.REGION }}", "eu"],
    ["n={{ params.count }}", "n=3"],
    [" {{ params.count }}", " 3"],
    ["{{ params.count }}{{ params.count }}", "33"],
    ["{{ params.list }}!", '[1,{"deep":"x"}]!'],
    ["<{{ params.nothing }}>", "<null>"],
    ["\\{{ params.name }}", "{{ params.name }}"],
    ['{"a":{"b":1}}', '{"a":{"b":1}}'],
    ["no template", "no template"],
    ["", ""],
  ])("%s", (template, value) => expect(renderTemplate(template, scope)).toEqual(value));

  it("reaches strings nested anywhere and leaves the rest as it is", () => {
    expect(
      renderTemplate(
        { a: ["{{ item.id }}", { b: "x{{ item_index }}" }], n: 1, t: true, z: null, "{{ key }}": 0 },
        scope,
      ),
    ).toEqual({
      a: [7, { b: "x2" }],
      n: 1,
      t: true,
      z: null,
      "{{ key }}": 0,
    });
  });

  it("does not render its own output again", () => {
    expect(renderTemplate("{{ params.evil }} {{ params.evil }}", { params: { evil: "{{ env.TOKEN }}" } })).toBe(
      "{{ env.TOKEN }} {{ env.TOKEN }}",
    );
  });

  it.each([
    ["{{ params.nmae }}", '"params.nmae" has no value; "params" has name, count'],
    ["{{ params.name.x }}", '"params.name" is a string'],
    ["{{ params.nothing.x }}", '"params.nothing" is null'],
    ["{{ params.list.9 }}", "is a list of 2"],
    ["{{ params.list.length }}", "is a list of 2"],
    ["{{ params.list.-1 }}", "not a path"],
    ["{{ step.other.x }}", '"step.other" has no value'],
    ["{{ params.key.length }}", "is a secret and has no fields"],
    ["a {{ params.holder }}", "holds a secret inside"],
    ["{{ params.__proto__ }}", "has no value"],
    ["{{ params.constructor }}", "has no value"],
    ["{{ params.constructor.name }}", "has no value"],
    ["{{ params.toString }}", "has no value"],
    ["{{ params.list.__proto__ }}", "has no value"],
    ["{{ item.prototype }}", "has no value"],
  ])("%s is an error and never undefined", (template, message) => {
    expect(() => renderTemplate({ at: [template] }, scope)).toThrow(message);
    expect(() => renderTemplate({ at: [template] }, scope)).toThrow(/^at\[0\]: /);
  });

  it("own keys named like those of the prototype are not read either", () => {
    expect(() => renderTemplate("{{ params.__proto__ }}", { params: JSON.parse('{"__proto__": "x"}') })).toThrow(
      "has no value",
    );
  });

  it("what is undefined in the scope counts as missing", () => {
    expect(() => renderTemplate("{{ params.a }}", { params: { a: undefined } })).toThrow("has no value");
    expect(() => renderTemplate("{{ item }}", { params: {}, item: undefined })).toThrow('"item" cannot be used here');
  });
});

describe("secrets", () => {
  it("one that fills a string alone stays a reference", () =>
    expect(renderTemplate("{{ params.key }}", scope)).toBe(scope.params.key));

  it("one in mixed text makes the whole a secret, resolved only in the moment of use", () => {
    const value = renderTemplate({ header: "Basic {{ params.name }}:{{ env.TOKEN }}" }, scope) as { header: SecretRef };
    expect(isSecret(value.header)).toBe(true);
    expect(JSON.stringify(value)).toBe('{"header":"[secret]"}');
    expect(value.header.reveal(() => undefined)).toBe("Basic Ana:hidden-1");
  });

  it("one inside a value that is passed on whole is still a reference", () => {
    expect(renderTemplate("{{ params.holder }}", scope)).toEqual({ inner: scope.params.holder.inner });
  });

  it("no error shows a value", () => {
    for (const template of ["{{ env.TOKEN.x }}", "{{ env.NONE }}", "x {{ params.holder }}"]) {
      expect(() =>
        renderTemplate(template, { ...scope, params: { holder: { inner: SecretRef.literal("hidden-1") } } }),
      ).toThrow(expect.not.objectContaining({ message: expect.stringContaining("hidden-1") }));
    }
  });
});

describe("mistakes", () => {
  it.each([
    ["Hi {{ params.name", 3, 'the "{{" is never closed'],
    ["{{ }}", 0, "names nothing"],
    ["ab {{ parms.x }}", 3, 'unknown name "parms"'],
    ["{{ parms.x }}", 0, 'the nearest is "params"'],
    ["{{ params }}", 0, "names no value"],
    ["{{ step }}", 0, "names no step"],
    ["{{ env.A.b }}", 0, "has no fields"],
    ["{{ item_index.x }}", 0, "has no fields"],
    ["{{ params.a + 1 }}", 0, "is not a path"],
    ["{{ params.a | upper }}", 0, "is not a path"],
    ["{{ params..a }}", 0, "is not a path"],
    ["{{ params. }}", 0, "is not a path"],
    ["{{ params.a[ }}", 0, "is not a path"],
    ["{{ args.x }}", 0, '"args" cannot be used here'],
    ["{{ 1 }}", 0, "unknown name"],
  ])("%s: reported at character %d", (text, offset, message) => {
    const { problems } = parseTemplates({ deep: { text } });
    expect(problems).toEqual([{ at: ["deep", "text"], offset, message: expect.stringContaining(message) }]);
    expect(() => renderTemplate(text, scope)).toThrow(TemplateError);
    expect(() => listReferences(text)).toThrow(message);
  });

  it("are all reported at once", () => {
    expect(
      parseTemplates(["{{ a }} {{ b }}", { c: "{{ c" }]).problems.map(({ at, offset }) => [...at, offset]),
    ).toEqual([
      [0, 0],
      [0, 8],
      [1, "c", 0],
    ]);
  });

  it("a root that is not allowed at a place is refused, with those that are", () => {
    expect(parseTemplates("{{ env.X }}", ["params"]).problems[0]?.message).toContain(
      '"env" cannot be used here; what can is params.…',
    );
    expect(parseTemplates("{{ env.X }}", []).problems[0]?.message).toContain("templates cannot be used here");
  });
});

describe("references", () => {
  it("are listed with root, path, place and whether they stand alone", () => {
    expect(listReferences({ body: { text: "see {{ step.parse-x.text }}", key: "{{ env.KEY }}" } })).toEqual([
      {
        root: "step",
        path: ["parse-x", "text"],
        offset: 4,
        text: "step.parse-x.text",
        at: ["body", "text"],
        whole: false,
      },
      { root: "env", path: ["KEY"], offset: 0, text: "env.KEY", at: ["body", "key"], whole: true },
    ]);
  });

  it("of a summary are those of its arguments", () => {
    expect(listReferences("Refund {{ args.amount }}", ["args"])).toMatchObject([{ root: "args", path: ["amount"] }]);
    expect(renderTemplate("Refund {{ args.amount }}", { args: { amount: 5 } })).toBe("Refund 5");
  });

  it("hasTemplate sees broken ones too", () =>
    expect([hasTemplate("{{ x"), hasTemplate(["{{ params.a }}"]), hasTemplate({ a: "b }}" })]).toEqual([
      true,
      true,
      false,
    ]));
});

describe("for any text", () => {
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom("{{", "}}", "\\{{", " ", "params", ".", "name", "[0]", "__proto__", "{", "}"),
        fc.string(),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""));

  it("parsing never throws, and rendering gives a value or a TemplateError", () => {
    fc.assert(
      fc.property(text, (value) => {
        parseTemplates(value);
        try {
          expect(renderTemplate(value, scope)).not.toBeUndefined();
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      }),
    );
  });

  it("text without braces is never changed", () => {
    fc.assert(
      fc.property(
        fc.string().filter((value) => !value.includes("{{")),
        (value) => renderTemplate(value, scope) === value,
      ),
    );
  });
});
