/** The file a `scripted` provider plays from: for each agent the turns it takes, chosen from the conversation alone. */
import { z } from "zod";
import { jmespathSchema } from "@/lib/config/jmespath";
import type { Json } from "./model";

const jsonSchema = z.json() as unknown as z.ZodType<Json>;

const callSchema = z
  .strictObject({
    tool: z
      .string()
      .min(1)
      .describe("Name of an offered tool: `orders-read`, `shop.orders-read` or `mcp__shop__orders-read`"),
    arguments: z
      .record(z.string(), jsonSchema)
      .default({})
      .describe("Arguments; strings may hold templates such as `{{ results.orders-read.total }}`"),
    unlisted: z
      .boolean()
      .default(false)
      .describe("Ask for the name exactly as written, although it is not among the offered tools"),
  })
  .describe("One tool call");

const errorSchema = z
  .strictObject({
    kind: z
      .enum(["rate_limited", "overloaded", "refused", "malformed", "cut"])
      .describe("`refused` and `cut` are turns with that finish reason; the others are failures of the provider"),
    attempts: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("How many tries of this turn fail before it is played; all of them when absent"),
    retry_after_ms: z.number().int().min(0).optional().describe("When the provider says to ask again"),
  })
  .describe("A failure of the provider, for tests");

const turnFields = {
  say: z.string().optional().describe("Text of the turn; with `call` it stands before the calls. May hold templates"),
  call: z.array(callSchema).min(1).optional().describe("Tool calls of the turn, all asked for at once"),
  output: jsonSchema.optional().describe("Final answer as JSON; strings in it may hold templates"),
  error: errorSchema.optional(),
  usage: z
    .strictObject({ tokens_in: z.number().int().min(0), tokens_out: z.number().int().min(0) })
    .optional()
    .describe("Tokens to report; counted from the text, four characters each, when absent"),
  delay_ms: z.number().int().min(0).max(600_000).optional().describe("How long the turn takes; none when absent"),
};

function checkPattern(pattern: string, context: z.core.$RefinementCtx<string>): void {
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    context.addIssue({ code: "custom", message: `not a regular expression: ${(error as Error).message}` });
  }
}

interface TurnContent {
  say?: string | undefined;
  call?: unknown[] | undefined;
  output?: unknown;
  error?: { kind: string; attempts?: number | undefined } | undefined;
}

function checkContent(turn: TurnContent, context: z.core.$RefinementCtx): void {
  // A misspelt field is already reported; an error about the turn that is empty without it would only distract.
  if (context.issues.length > 0) return;
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  const hasText = turn.say !== undefined || turn.output !== undefined;
  const hasContent = hasText || turn.call !== undefined;
  if (turn.output !== undefined && (turn.say !== undefined || turn.call !== undefined)) {
    refuse("`output` is the whole answer; move `say` and `call` to a turn before it");
  }
  if (!hasContent && turn.error === undefined) refuse("a turn needs `say`, `call`, `output` or `error`");
  if (!hasContent && turn.error?.attempts !== undefined) {
    refuse("`error.attempts` says when the turn succeeds, so the turn also needs `say`, `call` or `output`");
  }
  if (!hasText && turn.error?.kind === "cut")
    refuse("`error.kind: cut` cuts a text, so the turn also needs `say` or `output`");
}

const turnSchema = z.strictObject(turnFields).superRefine(checkContent).describe("One turn of the model");

const ruleSchema = z
  .strictObject({
    when: jmespathSchema().describe("JMESPath over the conversation; the turn is played when it holds"),
    ...turnFields,
  })
  .superRefine(checkContent)
  .describe("A turn that is played whenever its condition holds");

const branchSchema = z
  .strictObject({
    when: jmespathSchema()
      .optional()
      .describe("JMESPath over the conversation; a branch without it always holds, and stands last"),
    ...turnFields,
  })
  .superRefine(checkContent);

const branchesSchema = z
  .array(branchSchema)
  .min(1)
  .superRefine((branches, context) => {
    for (const [index, branch] of branches.slice(0, -1).entries()) {
      if (branch.when !== undefined) continue;
      context.addIssue({
        code: "custom",
        path: [index],
        message: "a branch without `when` always holds, so it must stand last",
      });
    }
  });

const entrySchema = z
  .strictObject({
    branches: branchesSchema
      .optional()
      .describe("Instead of one turn: several, of which the first whose `when` holds is played"),
    ...turnFields,
  })
  .superRefine(({ branches, ...turn }, context) => {
    if (branches === undefined) return checkContent(turn, context);
    const beside = Object.keys(turn).filter((key) => turn[key as keyof typeof turn] !== undefined);
    if (beside.length === 0) return;
    context.addIssue({
      code: "custom",
      message: `\`branches\` stands alone; move ${beside.map((key) => `\`${key}\``).join(", ")} into a branch`,
    });
  });

const agentScriptSchema = z
  .strictObject({
    params: z
      .record(z.string(), z.string().min(1).superRefine(checkPattern))
      .default({})
      .describe(
        "Values read from the user's text: name and regular expression, whose first group (or whole match) is the value",
      ),
    rules: z
      .array(ruleSchema)
      .default([])
      .describe("Looked at before `turns`, on every turn; the first that holds is played"),
    turns: z.array(entrySchema).default([]).describe("The n-th entry is played on the n-th turn"),
    otherwise: turnSchema
      .optional()
      .describe("Played when no rule holds and no turn is left; without it that is an error"),
  })
  .superRefine((script, context) => {
    if (script.rules.length + script.turns.length > 0 || script.otherwise) return;
    context.addIssue({ code: "custom", message: "a script needs `turns`, `rules` or `otherwise`" });
  })
  .describe("The turns of one agent");

export const scriptSchema = z.strictObject({
  description: z.string().optional().describe("What the script is for"),
  agents: z.record(z.string(), agentScriptSchema).describe("By the agent's name; `*` is for agents without an entry"),
});

export type Script = z.infer<typeof scriptSchema>;
export type AgentScript = z.infer<typeof agentScriptSchema>;
export type ScriptTurn = z.infer<typeof turnSchema>;
