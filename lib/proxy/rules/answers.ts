/** What a client is told of a call, in the words of the protocol. Pure. */
import type { ClientCallState } from "@/lib/proxy/client-calls";
import { OWN_TOOLS } from "@/lib/proxy/rules/export-names";
import type { ContentBlock } from "@/lib/tools/rules/tool-result";

export interface Answer {
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta: Record<string, unknown>;
  [key: string]: unknown;
}

export type EndedCall = Extract<ClientCallState, { kind: "ended" }>;
export type WaitingCall = Exclude<ClientCallState, { kind: "ended" }>;

export interface AnswerFacts {
  /** Where people reach the console. */
  origin: string;
  /** The question that was asked about the call, as far as it is known. */
  approvalId: string | null;
  retryAfterS: number;
}

const META = "dev.kimitsu/";

export const approvalUrl = (origin: string, approvalId: string): string => `${origin}/inbox/${approvalId}`;

const text = (value: string): ContentBlock => ({ type: "text", text: value });

const metaOf = (state: ClientCallState, approvalId: string | null): Record<string, unknown> => ({
  [`${META}call_id`]: state.callId,
  [`${META}run_id`]: state.runId,
  ...(approvalId !== null && { [`${META}approval_id`]: approvalId }),
});

/** The tool's own result, or its own error where a person or the policy refused it. */
export function toEndedAnswer(state: EndedCall, { approvalId }: Pick<AnswerFacts, "approvalId">): Answer {
  const { result, error, outcome, editedArguments } = state;
  const edited = editedArguments === null ? [] : [text(describeEdit(editedArguments))];
  const meta = {
    ...metaOf(state, approvalId),
    ...(editedArguments !== null && { [`${META}edited_arguments`]: editedArguments }),
    ...(error !== null && { [`${META}error`]: error }),
  };
  if (result !== null) {
    const structured = result.structured_content;
    return {
      content: [...(result.content.length > 0 ? result.content : [text(result.output)]), ...edited],
      ...(isObject(structured) && { structuredContent: structured }),
      ...(result.is_error && { isError: true }),
      _meta: meta,
    };
  }
  const code = error?.code ?? outcome;
  return { content: [text(`${describeEnd(state)} [${code}]`), ...edited], isError: true, _meta: meta };
}

function describeEnd({ server, tool, outcome, error }: EndedCall): string {
  const name = `${server}.${tool}`;
  const why = error?.message ?? "";
  switch (outcome) {
    case "rejected":
      return `A person rejected this call of ${name}; it was not made. ${why === "" ? "No reason was given." : `Reason: ${why}`}`;
    case "expired":
      return `Nobody decided on this call of ${name} in time; it was not made. ${why}`.trim();
    case "denied":
      return `The policy denies this call of ${name}; it was not made. ${why}`.trim();
    case "cancelled":
      return `This call of ${name} was withdrawn; it was not made. ${why}`.trim();
    default:
      return why === "" ? `${name} failed.` : why;
  }
}

const describeEdit = (args: Record<string, unknown>): string =>
  `A reviewer changed the arguments before this call was made. It was made with: ${JSON.stringify(args)}`;

/** Not an error: a model that reads an error tries something else. */
export function toPendingAnswer(state: WaitingCall, facts: AnswerFacts): Answer {
  const { approvalId, retryAfterS, origin } = facts;
  const url = approvalId === null ? null : approvalUrl(origin, approvalId);
  const structured = {
    status: state.kind,
    call_id: state.callId,
    approval_url: url,
    expires_at: state.kind === "pending_approval" ? state.expiresAt : null,
    poll_tool: OWN_TOOLS.getResult,
    retry_after_s: retryAfterS,
  };
  const next = `Call ${OWN_TOOLS.getResult} with call_id "${state.callId}" for its outcome; making the same call again does not start a second one.`;
  return {
    content: [text(`${describeWaiting(state, url)} ${next}`)],
    structuredContent: structured,
    _meta: metaOf(state, approvalId),
  };
}

export function describeWaiting(state: WaitingCall, url: string | null): string {
  const name = `${state.server}.${state.tool}`;
  switch (state.kind) {
    case "pending_approval": {
      const until = state.expiresAt === null ? "" : ` until ${state.expiresAt}`;
      return `${name} was not called yet: a person must approve it${until}${url === null ? "" : ` at ${url}`}.`;
    }
    case "outcome_unknown":
      return `${name} was called, and it is not known what became of it: ${state.message} A person is looking into it; do not call it again.`;
    case "running":
      return `${name} may run and has not ended yet.`;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);
