/**
 * Undoes one layer of escapes in a text: percent-encoding, HTML's characters by name or code, and JSON's backslashes.
 */

export type EscapeKind = "percent" | "html" | "json";

const PERCENT = "(?:%[0-9a-fA-F]{2})+";
const HTML = "&(?:#0{0,8}[0-9]{1,7}|#[xX]0{0,8}[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,7});";
const JSON_ESCAPE = "\\\\(?:u[0-9a-fA-F]{4}|[\"'\\\\/bfnrt])";

const PATTERNS: Record<EscapeKind | "all", RegExp> = {
  percent: new RegExp(PERCENT, "g"),
  html: new RegExp(HTML, "g"),
  json: new RegExp(JSON_ESCAPE, "g"),
  all: new RegExp(`${PERCENT}|${HTML}|${JSON_ESCAPE}`, "g"),
};

/** The text between `from` and `to` is one unit once unescaped. */
export type OnUnit = (unit: string, from: number, to: number) => void;

/** Calls `onUnit` for every unit that an escape represents, in order; everything else is unchanged. */
export function findEscapes(text: string, kind: EscapeKind | "all", onUnit: OnUnit): void {
  const pattern = PATTERNS[kind];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [escape] = match;
    const from = match.index;
    if (escape[0] === "%") readPercent(escape, from, onUnit);
    else {
      const read = escape[0] === "&" ? readHtml(escape) : readJson(escape);
      if (read !== null) writeUnits(read, { from, to: from + escape.length }, onUnit);
    }
  }
}

/** A character beyond the first 65,536 is two units of text. */
function writeUnits(text: string, { from, to }: { from: number; to: number }, onUnit: OnUnit): void {
  if (text.length === 1) onUnit(text, from, to);
  else for (const unit of text.split("")) onUnit(unit, from, to);
}

function readJson(escape: string): string {
  if (escape[1] === "u") return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  const plain = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" } as Record<string, string>;
  return plain[escape[1]!] ?? escape[1]!;
}

/** Bytes that are not UTF-8 are read one by one. */
function readPercent(run: string, from: number, onUnit: OnUnit): void {
  const count = run.length / 3;
  for (let index = 0; index < count;) {
    const first = byteAt(run, index);
    const size = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const text = size === 1 ? String.fromCharCode(first) : readUtf8(run, index, Math.min(size, count - index));
    const length = text === null ? 1 : size;
    writeUnits(text ?? String.fromCharCode(first), { from: from + index * 3, to: from + (index + length) * 3 }, onUnit);
    index += length;
  }
}

const byteAt = (run: string, index: number): number => Number.parseInt(run.slice(index * 3 + 1, index * 3 + 3), 16);

function readUtf8(run: string, index: number, size: number): string | null {
  const bytes = Buffer.from(Array.from({ length: size }, (_, offset) => byteAt(run, index + offset)));
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : null;
}

function readHtml(escape: string): string | null {
  const inner = escape.slice(1, -1);
  if (inner[0] !== "#") return NAMED.get(inner) ?? null;
  const code = /^#[xX]/.test(inner) ? Number.parseInt(inner.slice(2), 16) : Number.parseInt(inner.slice(1), 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

/** By their codes: the punctuation of ASCII, then Latin-1 from 160 on, as HTML names them. */
const ASCII_NAMES =
  "Tab:9 NewLine:10 excl:33 quot:34 QUOT:34 num:35 dollar:36 percnt:37 amp:38 AMP:38 apos:39 lpar:40 rpar:41 ast:42 midast:42 plus:43 comma:44 period:46 sol:47 colon:58 semi:59 lt:60 LT:60 equals:61 gt:62 GT:62 quest:63 commat:64 lsqb:91 lbrack:91 bsol:92 rsqb:93 rbrack:93 Hat:94 lowbar:95 grave:96 lcub:123 lbrace:123 verbar:124 vert:124 rcub:125 rbrace:125";
const LATIN_NAMES =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest " +
  "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig " +
  "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const NAMED = new Map<string, string>([
  ...ASCII_NAMES.split(" ").map((entry): [string, string] => [
    entry.split(":")[0]!,
    String.fromCharCode(Number(entry.split(":")[1])),
  ]),
  ...LATIN_NAMES.split(" ").map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
]);
