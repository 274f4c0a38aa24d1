/**
 * Searches for secrets in every form in which something may carry them. Separate from the product's own matcher, so
 * that a bug there is not repeated here.
 */

export interface Hit {
  place: string;
  secret: string;
  form: string;
}

/** A place and all the text that was found there. */
export interface Place {
  name: string;
  text: string;
}

const ALIGNMENTS = [0, 1, 2];

/** The spellings of a text by the name of the form; those that are equal to another one are left out. */
export function formsOf(secret: string): Map<string, string> {
  const bytes = Buffer.from(secret, "utf8");
  const json = JSON.stringify(secret).slice(1, -1);
  const hex = bytes.toString("hex");
  const forms: [string, string][] = [
    ["as it is", secret],
    ["JSON", json],
    ["JSON in JSON", JSON.stringify(json).slice(1, -1)],
    ["JSON with escaped slashes", json.replaceAll("/", String.raw`\/`)],
    [
      "JSON with escaped codes",
      [...secret]
        .map((character) =>
          /[\w-]/.test(character) ? character : `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`,
        )
        .join(""),
    ],
    ["address", encodeURIComponent(secret)],
    ["address in small letters", encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase())],
    ["form", new URLSearchParams({ s: secret }).toString().slice(2)],
    ["HTML", secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")],
    ["HTML with the quote as it is", secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;")],
    ["hex", hex],
    ["HEX", hex.toUpperCase()],
    ["backwards", [...secret].reverse().join("")],
    ...ALIGNMENTS.flatMap((shift): [string, string][] => {
      const core = base64Core(bytes, shift);
      return [
        [`base64 at ${shift}`, core],
        [`base64url at ${shift}`, core.replaceAll("+", "-").replaceAll("/", "_")],
      ];
    }),
  ];
  const unique = new Map<string, string>();
  for (const [form, text] of forms) if (![...unique.values()].includes(text)) unique.set(form, text);
  return unique;
}

/** What is the same in the base64 of every text that holds the bytes at this place within a group of three. */
function base64Core(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replaceAll("=", "");
  return encoded.slice(shift === 0 ? 0 : shift + 1, (shift + bytes.length) % 3 === 0 ? undefined : -1);
}

export function search(places: readonly Place[], secrets: Readonly<Record<string, string>>): Hit[] {
  const wanted = Object.entries(secrets).flatMap(([secret, value]) =>
    [...formsOf(value)].map(([form, text]) => ({ secret, form, text })),
  );
  return places.flatMap(({ name, text }) =>
    wanted.filter((each) => text.includes(each.text)).map(({ secret, form }) => ({ place: name, secret, form })),
  );
}
