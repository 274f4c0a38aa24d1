/**
 * What people are sent outside of the console: who is needed, for which tool, and where to look. A message carries a
 * link and no arguments, no reasons and no error texts, because readers of a channel may not be allowed to read the
 * run.
 */
import type { CHANNEL_EVENTS, Policy } from "@/lib/config/policy-schema";
import { showInvisible } from "@/lib/text/tool-text";

export type NoticeType = (typeof CHANNEL_EVENTS)[number];
export type Channel = Policy["channels"][number];
/** Desktop notifications are sent separately, with the live updates of the console. */
export type OutsideChannel = Exclude<Channel, { type: "browser" }>;

export interface NoticeFacts {
  at: string;
  runId: string;
  workflow: string;
  callId: string | null;
  agent: string | null;
  server: string | null;
  tool: string | null;
  danger: string | null;
  approval: {
    id: string;
    approvers: string[];
    selfApproval: boolean;
    starterIds: string[];
    expiresAt: string | null;
  } | null;
  /** Who decided, and how: the person, and the token if they did it through one. */
  decided: { by: string; verdict: string; token?: string } | null;
  /** Of the error that a run failed with. */
  code: string | null;
}

export interface Notice {
  id: string;
  type: NoticeType;
  facts: NoticeFacts;
}

export interface Message {
  title: string;
  lines: string[];
  /** Path of the page with details, within the console. */
  path: string;
  /** What a person does there. */
  action: string;
}

const LINES_MAX = 10;

export const isOutside = (channel: Channel): channel is OutsideChannel => channel.type !== "browser";

/**
 * Whether the channel is notified of it. A call without approvers is for everyone, so for every group too; other events
 * are for all.
 */
export function isWanted(channel: Channel, type: NoticeType, approvers: readonly string[]): boolean {
  if (!channel.events.includes(type)) return false;
  return (
    channel.groups === undefined || approvers.length === 0 || channel.groups.some((group) => approvers.includes(group))
  );
}

/** True for a message that is useless once the call is decided. */
export const asksForDecision = (type: NoticeType): boolean =>
  type === "approval.requested" || type === "approval.escalated";

/** One message for everything due at the same time, so that a hundred calls are not a hundred messages. */
export function composeMessage(notices: readonly Notice[]): Message {
  const [only] = notices;
  if (only && notices.length === 1) return describeNotice(only);
  const shown = notices.slice(0, LINES_MAX).map(describeNotice);
  const more = notices.length - shown.length;
  const lines = shown.map(({ title, lines: [first] }) => (first === undefined ? title : `${title}: ${first}`));
  const isAllAsked = notices.every(({ type }) => asksForDecision(type));
  return {
    title: isAllAsked ? `${notices.length} calls wait for a decision` : `${notices.length} things happened`,
    lines: more > 0 ? [...lines, `and ${more} more`] : lines,
    path: isAllAsked ? "/inbox" : "/history",
    action: isAllAsked ? "Open the inbox" : "Open the history",
  };
}

export function describeNotice({ type, facts }: Notice): Message {
  const { approval, decided, runId } = facts;
  const tool = showInvisible(`${facts.server ?? ""}.${facts.tool ?? ""}`);
  const run = `${facts.agent ? `Agent ${showInvisible(facts.agent)} in workflow` : "Workflow"} ${facts.workflow}`;
  const call = [facts.danger ? `${tool} (${facts.danger})` : tool, run];
  const card = { path: `/inbox/${approval?.id ?? ""}`, action: "Review in Kimitsu" };
  const page = { path: `/history/${runId}`, action: "Open the run" };
  const until = approval?.expiresAt ? [`Expires ${toMinute(approval.expiresAt)}`] : [];
  switch (type) {
    case "approval.requested":
      return { title: "A call waits for a decision", lines: [...call, ...until], ...card };
    case "approval.escalated":
      return { title: "A call has waited too long for a decision", lines: [...call, ...until], ...card };
    case "approval.expired":
      return { title: "A call expired before anyone decided", lines: call, ...card };
    case "approval.decided":
      return { title: `${nameDecider(decided)} ${decided?.verdict ?? "decided"} a call`, lines: call, ...card };
    case "call.outcome_unknown":
      return { title: "Nobody knows whether a call happened", lines: call, ...page, action: "Settle it in Kimitsu" };
    case "run.failed":
      return {
        title: `A run of ${facts.workflow} failed`,
        lines: facts.code ? [`Error ${showInvisible(facts.code)}`] : [],
        ...page,
      };
    case "run.needs_human_review":
      return {
        title: `A run of ${facts.workflow} waits for a person's review`,
        lines: [],
        ...page,
        action: "Review in Kimitsu",
      };
  }
}

/** The name of a token alone could be mistaken for a person. */
const nameDecider = (decided: NoticeFacts["decided"]): string =>
  decided?.token === undefined
    ? showInvisible(decided?.by ?? "Someone")
    : `${showInvisible(decided.by)}, by token ${showInvisible(decided.token)},`;

/** Readers may be in any time zone, so it names the zone. */
const toMinute = (time: string): string => `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
