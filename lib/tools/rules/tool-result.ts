/**
 * The one form in which the result of any tool is stored, shown and given to a model. Everything from the server is
 * untrusted text.
 */
import { cleanText, mapText, storableText } from "@/lib/text/tool-text";

export interface ToolResult {
  success: boolean;
  /** Everything that can be read as text, without terminal codes. */
  output: string;
  /** The blocks as the server sent them. */
  content: ContentBlock[];
  /** The data, with keys and texts cleaned like the output: a model gets this in preference to the text. */
  structured_content: unknown;
  is_error: boolean;
  /** One or more sentences about what went wrong; null on success. */
  error: string | null;
  /** For tools that run a command. */
  stdout?: string;
  stderr?: string;
  exit_code?: number;
}

export type ContentBlock = { type: string } & Record<string, unknown>;

/** What a server may answer; its form is not trusted. */
export interface ServerAnswer {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
}

export function toToolResult(answer: ServerAnswer): ToolResult {
  const storable = mapText({ content: answer.content, structured: answer.structuredContent }, storableText) as {
    content: unknown;
    structured: unknown;
  };
  const content = Array.isArray(storable.content) ? storable.content.filter(isBlock) : [];
  const structured = mapText(storable.structured ?? null, cleanText);
  const isError = answer.isError === true;
  const text = cleanText(content.map(describeBlock).join("\n"));
  const output = text === "" && structured !== null ? JSON.stringify(structured) : text;
  return {
    success: !isError,
    output,
    content,
    structured_content: structured,
    is_error: isError,
    error: isError ? output || "The tool reports an error and does not say which." : null,
    ...readShell(structured),
  };
}

/** A result for a call whose answer cannot be used, or for one that the server refused. */
export function toErrorResult(message: string, answer: ServerAnswer = {}): ToolResult {
  const given = toToolResult(answer);
  const error = cleanText(message);
  return {
    ...given,
    success: false,
    is_error: true,
    error,
    output: given.output === "" ? error : `${error}\n${given.output}`,
  };
}

function isBlock(value: unknown): value is ContentBlock {
  return value !== null && typeof value === "object" && typeof (value as { type?: unknown }).type === "string";
}

/** Text as it is; for anything else, its kind and size. */
function describeBlock(block: ContentBlock): string {
  const resource = (typeof block.resource === "object" && block.resource !== null ? block.resource : {}) as Record<
    string,
    unknown
  >;
  switch (block.type) {
    case "text":
      return String(block.text ?? "");
    case "image":
    case "audio":
      return `[${block.type} ${String(block.mimeType ?? "of unknown type")}, ${base64Bytes(block.data)} bytes]`;
    case "resource_link":
      return `[link ${String(block.name ?? "")} ${String(block.uri ?? "")}]`;
    case "resource":
      return typeof resource.text === "string"
        ? resource.text
        : `[resource ${String(resource.uri ?? "")}, ${base64Bytes(resource.blob)} bytes]`;
    default:
      return `[${block.type}]`;
  }
}

function base64Bytes(data: unknown): number {
  return typeof data === "string" ? Math.floor((data.replace(/=+$/, "").length * 3) / 4) : 0;
}

function readShell(structured: unknown): Pick<ToolResult, "stdout" | "stderr" | "exit_code"> {
  if (structured === null || typeof structured !== "object") return {};
  const { stdout, stderr, exit_code: exitCode } = structured as Record<string, unknown>;
  if (typeof stdout !== "string" || typeof stderr !== "string" || !Number.isInteger(exitCode)) return {};
  return { stdout, stderr, exit_code: exitCode as number };
}

/**
 * What the model gets: the data if there is any, else the text; cut in the middle, where results are usually least
 * informative, with a note of what is missing.
 */
export function cutForModel(result: ToolResult, charactersMax: number): unknown {
  const { structured_content: data, is_error: isError } = result;
  if (isError || data === null || typeof data !== "object")
    return cutMiddle(result.output === "" ? (result.error ?? "") : result.output, charactersMax);
  const text = JSON.stringify(data);
  return text.length <= charactersMax ? data : cutMiddle(text, charactersMax);
}

export function cutMiddle(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const note = (left: number) => `\n[… ${left} of ${text.length} characters left out …]\n`;
  const room = Math.max(0, charactersMax - note(text.length).length);
  const head = text.slice(0, Math.ceil(room * 0.7)).toWellFormed();
  const tail = room - head.length > 0 ? text.slice(-(room - head.length)).toWellFormed() : "";
  return `${head}${note(text.length - head.length - tail.length)}${tail}`;
}
