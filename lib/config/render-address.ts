/**
 * Fills an address in. A value in the path or the query is data: it is percent-encoded and cannot leave its folder
 * (`..`). A value in the place of the host is a host and nothing else. Only what the address begins with, and the
 * deployment's own variables before the path, are inserted unchanged.
 */
import { parseAddressText, type AddressExpression } from "./address-template";
import { isSecret, SecretRef } from "./secret-ref";
import { readText, TemplateError, type TemplateScope } from "./template";
import type { TemplateRoot } from "./template-text";

/** Servers may decode more than once, each in its own way; none is expected to decode more often than this. */
const DECODE_TIMES_MAX = 5;

/**
 * Throws TemplateError for a mistake, for a missing value, and for one that would lead to another address; for a secret
 * one when it is revealed.
 */
export function renderAddress(
  text: string,
  scope: TemplateScope,
  at: (string | number)[] = ["url"],
): string | SecretRef {
  const roots = Object.keys(scope).filter((root) => scope[root as TemplateRoot] !== undefined) as TemplateRoot[];
  const { parts, problems } = parseAddressText(text, roots);
  const [problem] = problems;
  if (problem) throw new TemplateError(problem.message, at, problem.offset);
  const rendered = parts.map((part) => (typeof part === "string" ? part : fill(part, readText(part, at, scope), at)));
  return rendered.some(isSecret) ? SecretRef.join(rendered) : rendered.join("");
}

function fill(expression: AddressExpression, value: string | SecretRef, at: (string | number)[]): string | SecretRef {
  const { place, root } = expression;
  if (place === "start" || (place === "host" && root === "env")) return value;
  const change = (text: string) => (place === "host" ? keepHost(text, expression, at) : encode(text, expression, at));
  return isSecret(value) ? SecretRef.changed(value, change) : change(value);
}

function keepHost(text: string, { text: name, offset }: AddressExpression, at: (string | number)[]): string {
  if (/^[\p{L}\p{N}._:[\]-]*$/u.test(text)) return text;
  throw new TemplateError(
    `"${name}" stands in the place of a host, and its value holds other characters than a host has; write slashes and what follows them into the address itself`,
    at,
    offset,
  );
}

function encode(text: string, { text: name, offset, place }: AddressExpression, at: (string | number)[]): string {
  if (place === "path" && climbs(text)) {
    throw new TemplateError(
      `"${name}" would lead to another path: its value holds "." or ".." between slashes, plain or encoded`,
      at,
      offset,
    );
  }
  return encodeURIComponent(text.toWellFormed());
}

/**
 * A `.` or `..` segment, as any server on the way might read it: decoded again, with backslashes, or with parameters
 * after it.
 */
function climbs(text: string): boolean {
  let decoded = text;
  for (let times = 0; times <= DECODE_TIMES_MAX; times += 1) {
    // eslint-disable-next-line no-control-regex -- a server may drop these.
    if (decoded.split(/[/\\]/).some((piece) => /^\.{1,2}(?:;.*)?$/s.test(piece.replaceAll(/[\s\0-\x1f\x7f]/g, ""))))
      return true;
    const further = decoded.replaceAll(/%[0-9a-f]{2}/gi, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    );
    if (further === decoded) return false;
    decoded = further;
  }
  return true;
}
