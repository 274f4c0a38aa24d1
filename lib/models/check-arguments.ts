/**
 * The arguments of a call as a model wrote them, or what is wrong with them: arguments that cannot be sent and stored
 * unchanged must not be in a turn.
 */
import { findArgumentsProblem } from "@/lib/text/digest";
import { storableText } from "@/lib/text/tool-text";
import { MALFORMED_TEXT_LENGTH_MAX } from "./limits";
import type { JsonObject, ToolCallRequest } from "./model";

export type CheckedArguments = Pick<ToolCallRequest, "arguments" | "malformed">;

/** `text` is what the model wrote. */
export function checkArguments(value: JsonObject, text: string): CheckedArguments {
  const problem = findArgumentsProblem(value);
  return problem === null
    ? { arguments: value }
    : refuseArguments(text, `The call cannot be made: ${problem} Send the call again without it.`);
}

export function refuseArguments(text: string, problem: string): CheckedArguments {
  return { arguments: {}, malformed: { text: storableText(text.slice(0, MALFORMED_TEXT_LENGTH_MAX)), problem } };
}
