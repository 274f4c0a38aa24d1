/**
 * Notifies the project's channels of the events that they want: writes a message for each new event, and sends what is
 * due. A message is sent at least once; channels are independent, so that an unreachable one delays no other.
 */
import type { Project } from "@/lib/config/project";
import {
  NOTICE_ATTEMPTS_MAX,
  NOTICE_BACKOFF_MAX_MS,
  NOTICE_BACKOFF_MS,
  NOTICE_BATCH_MAX,
  NOTICE_HOLD_MS,
  NOTICE_TIMEOUT_MS,
} from "@/lib/limits";
import { composeMessage, isOutside, isWanted, type Notice, type OutsideChannel } from "@/lib/notices/rules/notice";
import { matchKnownSecrets } from "@/lib/projects/known-secrets";
import { fillAddressFromEnv, fillFromEnv } from "@/lib/notices/fill-channel";
import type { NoticeDeps } from "@/lib/notices/notice-deps";
import { SendFailure } from "@/lib/notices/send-failure";
import { sendMail } from "@/lib/notices/send-mail";
import { sendSlack } from "@/lib/notices/send-slack";
import { sendSigned, sendWebhook } from "@/lib/notices/send-webhook";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { listDeciderAddresses, listOperatorAddresses } from "@/lib/approvals/queries/list-deciders";
import { queueNotices } from "@/lib/notices/transitions/queue-notices";
import { endNotices, putOffNotices, takeNotices, type TakenNotice } from "@/lib/notices/transitions/send-notices";
import { metrics } from "@/lib/telemetry/metrics";

/** Requests to a webhook that one process has time for while it holds the messages. */
const HOOK_BATCH_MAX = Math.floor(NOTICE_HOLD_MS / NOTICE_TIMEOUT_MS) - 2;

export const listOutside = (project: Project): OutsideChannel[] => (project.policy?.channels ?? []).filter(isOutside);

export async function notifyChannels(deps: NoticeDeps): Promise<void> {
  const channels = listOutside(deps.projects.current().project);
  const channelsOf = (type: Notice["type"], approvers: readonly string[]) =>
    channels.filter((channel) => isWanted(channel, type, approvers)).map(({ name }) => name);
  while ((await queueNotices(deps.db, channelsOf, deps.now()))?.isAll === false);
  await Promise.all(channels.map((channel) => sendDue(deps, channel)));
}

/** Sends one message to one channel now, and reports the result. `to` is the person who asks for it. */
export async function testChannel(deps: NoticeDeps, name: string, to: { name: string; email: string }): Promise<void> {
  const channel = listOutside(deps.projects.current().project).find((candidate) => candidate.name === name);
  if (!channel) throw new KimitsuError("not_found", `policy.yaml has no channel ${name} that could be tried.`);
  const message = {
    title: "A test from Kimitsu",
    lines: [`${to.name} tried the channel ${name}. Nothing is asked of you.`],
    path: "/inbox",
    action: "Open the inbox",
  };
  const id = createId("notice");
  try {
    if (channel.type === "email") return await sendMail(deps, { id, to: channel.to ?? [to.email], message });
    if (channel.type === "slack") return await sendSlack(deps, fillAddress(deps, channel.url), message);
    await sendSigned(deps, fillHook(deps, channel), id, {
      id,
      type: "channel.tested",
      at: deps.now().toISOString(),
      channel: name,
      url: `${deps.origin}${message.path}`,
    });
  } catch (error) {
    throw new KimitsuError("unavailable", hide(deps, (error as Error).message), { cause: error });
  }
}

/**
 * Continues while there are more messages and they arrive; when the channel is unreachable, the rest waits together
 * with the one that failed.
 */
async function sendDue(deps: NoticeDeps, channel: OutsideChannel): Promise<void> {
  const limit = channel.type === "webhook" ? HOOK_BATCH_MAX : NOTICE_BATCH_MAX;
  for (;;) {
    const due = await takeNotices(deps.db, { channel: channel.name, holdMs: NOTICE_HOLD_MS, limit }, deps.now());
    const parcels = await toParcels(deps, channel, due);
    for (const [place, { notices, send }] of parcels.entries()) {
      const failure = await send().then(
        () => null,
        (error: Error) => error,
      );
      if (failure === null) await end(deps, channel, notices, { outcome: "sent", error: null });
      else if (!isPassing(failure, notices))
        await end(deps, channel, notices, { outcome: "failed", error: hide(deps, failure.message) });
      else
        return putOff(
          deps,
          channel,
          parcels.slice(place).flatMap((parcel) => parcel.notices),
          failure,
        );
    }
    if (due.length < limit) return;
  }
}

interface Parcel {
  notices: TakenNotice[];
  send: () => Promise<void>;
}

/** A webhook gets each event by itself; people get one message for all new events. */
async function toParcels(deps: NoticeDeps, channel: OutsideChannel, due: TakenNotice[]): Promise<Parcel[]> {
  if (due.length === 0) return [];
  if (channel.type === "webhook")
    return due.map((notice) => ({
      notices: [notice],
      send: async () => sendWebhook(deps, fillHook(deps, channel), channel.name, notice),
    }));
  if (channel.type === "slack")
    return [{ notices: due, send: async () => sendSlack(deps, fillAddress(deps, channel.url), composeMessage(due)) }];
  const groups = new Map<string, { to: string[]; notices: TakenNotice[] }>();
  for (const notice of due) {
    const to = channel.to ?? (await listReaders(deps, notice));
    const group = groups.get(to.join()) ?? { to, notices: [] };
    group.notices.push(notice);
    groups.set(to.join(), group);
  }
  return [...groups.values()].map(({ to, notices }) => ({
    notices,
    send: () => sendMail(deps, { id: notices[0]!.id, to, message: composeMessage(notices) }),
  }));
}

const listReaders = ({ db }: NoticeDeps, { facts }: Notice): Promise<string[]> =>
  facts.approval ? listDeciderAddresses(db, facts.approval) : listOperatorAddresses(db);

const isPassing = (failure: Error, notices: readonly TakenNotice[]): failure is SendFailure =>
  failure instanceof SendFailure &&
  failure.isPassing &&
  notices.every(({ attempts }) => attempts < NOTICE_ATTEMPTS_MAX);

async function end(
  { db, now }: NoticeDeps,
  { name }: OutsideChannel,
  notices: readonly TakenNotice[],
  ending: Parameters<typeof endNotices>[2],
): Promise<void> {
  if (ending.outcome === "failed")
    log.error(
      { channel: name, messages: notices.length, error: ending.error },
      "a channel could not be told, and it is not tried again",
    );
  await endNotices(
    db,
    notices.map(({ id }) => id),
    ending,
    now(),
  );
  metrics().notices.inc({ channel: name, outcome: ending.outcome }, notices.length);
}

async function putOff(
  deps: NoticeDeps,
  channel: OutsideChannel,
  notices: readonly TakenNotice[],
  failure: SendFailure,
): Promise<void> {
  const error = hide(deps, failure.message);
  const attempts = Math.max(...notices.map((notice) => notice.attempts));
  if (attempts === 1)
    log.warn(
      { channel: channel.name, messages: notices.length, error },
      "a channel could not be told; it is tried again",
    );
  const waitMs = Math.max(
    failure.retryAfterMs,
    Math.min(NOTICE_BACKOFF_MS * 2 ** (attempts - 1), NOTICE_BACKOFF_MAX_MS),
  );
  await putOffNotices(
    deps.db,
    notices.map(({ id }) => id),
    { until: new Date(deps.now().getTime() + waitMs), error },
  );
}

const fill = ({ projects, processEnv }: NoticeDeps, text: string): string =>
  fillFromEnv(projects.current().project, processEnv, text);
const fillAddress = ({ projects, processEnv }: NoticeDeps, text: string): string =>
  fillAddressFromEnv(projects.current().project, processEnv, text);
const fillHook = (deps: NoticeDeps, { url, secret }: Extract<OutsideChannel, { type: "webhook" }>) => ({
  url: fillAddress(deps, url),
  secret: fill(deps, secret),
});

/** Addresses of channels are secrets; a failure may name them. */
const hide = ({ projects, processEnv }: NoticeDeps, text: string): string =>
  matchKnownSecrets(projects.current().project, processEnv).replaceAll(text, () => "[secret]");
