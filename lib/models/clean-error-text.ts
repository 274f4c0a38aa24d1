/**
 * Providers sometimes echo what they were sent. An error message goes to databases, pages and logs, so everything that
 * it shares with the request's headers or body is removed, and what is left is shortened to one line.
 */
import { findShared } from "./find-shared";
import { ECHO_LENGTH_MIN, ERROR_TEXT_LENGTH_MAX } from "./limits";

/** What was sent over the network; kept only until the answer has arrived. */
export interface SentRequest {
  headers: Headers;
  body: string;
}

/** Headers whose values are the same for everyone, so an error may contain them. */
const PLAIN_HEADERS = new Set(["accept", "content-type", "user-agent", "anthropic-version", "anthropic-beta"]);
const SECRET_LENGTH_MIN = 4;

/** Empty when nothing meaningful is left. */
export function cleanErrorText(text: string, sent: SentRequest): string {
  const limited = text.slice(0, ERROR_TEXT_LENGTH_MAX * 4);
  const withoutKeys = maskKeyShapes(maskSecrets(limited, listHeaderSecrets(sent.headers)));
  const line = maskEcho(withoutKeys, listTexts(sent.body))
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  const short = line.length > ERROR_TEXT_LENGTH_MAX ? `${line.slice(0, ERROR_TEXT_LENGTH_MAX)}…` : line;
  return /\p{L}/u.test(short.replaceAll(/\[(secret|request)\]/g, "")) ? short.toWellFormed() : "";
}

/** Each header's value, its words (`Bearer abc`), and the encoded forms in which an echo may contain them. */
export function listHeaderSecrets(headers: Headers): string[] {
  const values = [...headers]
    .filter(([name]) => !PLAIN_HEADERS.has(name))
    .flatMap(([, value]) => [value, ...value.split(/\s+/)]);
  const secrets = values.filter((value) => value.length >= SECRET_LENGTH_MIN && !/^bearer$/i.test(value));
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("hex"),
  ]);
  // The longest first: removing a part early would leave the rest of the whole value in the text.
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, "[secret]"), text);
}

/** Keys that were shortened by the provider (`sk-a…9f`, `sk-****abcd`) are no longer equal to the one that was sent. */
function maskKeyShapes(text: string): string {
  return text
    .replaceAll(/\b(?:sk|pk|key|api|xai|gsk)[-_][\w*.…-]{4,}/gi, "[secret]")
    .replaceAll(/\S*\*{3,}\S*/g, "[secret]")
    .replaceAll(/\b(bearer|basic)\s+[^\s"',;]+/gi, "$1 [secret]");
}

function maskEcho(text: string, sources: readonly string[]): string {
  const isEchoed = new Uint8Array(text.length);
  for (const start of findShared(text, sources, ECHO_LENGTH_MIN)) isEchoed.fill(1, start, start + ECHO_LENGTH_MIN);
  return text
    .split("")
    .map((char, index) => (isEchoed[index] === 0 ? char : isEchoed[index - 1] === 1 ? "" : "[request]"))
    .join("");
}

/** The body as it was sent, and every text inside of it as it reads without JSON's escapes. */
function listTexts(body: string): string[] {
  const texts = [body];
  const visit = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (value !== null && typeof value === "object") Object.values(value).forEach(visit);
  };
  try {
    visit(JSON.parse(body));
  } catch {
    // Not JSON: the text itself is all there is to compare with.
  }
  return texts;
}
