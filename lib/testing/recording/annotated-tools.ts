/** One tool for every combination of annotations: each hint true, false or absent, and one tool without any. */
import type { Tool, ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";

const HINTS = [
  ["ro", "readOnlyHint"],
  ["de", "destructiveHint"],
  ["id", "idempotentHint"],
  ["ow", "openWorldHint"],
] as const;

const VALUES = [true, false, undefined] as const;

/** `t-ro1-de0-id1-ow-` is read-only, not destructive, idempotent, and has no open-world hint. */
export function annotatedToolName(annotations: ToolAnnotations): string {
  const parts = HINTS.map(
    ([short, hint]) => `${short}${annotations[hint] === undefined ? "-" : Number(annotations[hint])}`,
  );
  return `t-${parts.join("-")}`;
}

/** Has no `annotations` at all, unlike `t-ro--de--id--ow-`, whose annotations are empty. */
export const UNANNOTATED_TOOL = "t-none";

export function listAnnotatedTools(): Tool[] {
  let combinations: ToolAnnotations[] = [{}];
  for (const [, hint] of HINTS) {
    combinations = combinations.flatMap((known) =>
      VALUES.map((value) => (value === undefined ? known : { ...known, [hint]: value })),
    );
  }
  const inputSchema: Tool["inputSchema"] = { type: "object" };
  return [
    ...combinations.map((annotations) => ({ name: annotatedToolName(annotations), inputSchema, annotations })),
    { name: UNANNOTATED_TOOL, inputSchema },
  ];
}
