import { EmptyState } from "@/components/ui/empty-state";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { requirePermission } from "@/lib/people/session/session";
import type { Channel } from "@/lib/notices/rules/notice";
import { engineDeps } from "@/lib/database/deps";
import { listOutside } from "@/lib/notices/notify-channels";
import { type ChannelState, listChannelStates } from "@/lib/notices/queries/list-channel-states";
import { titleFor } from "../../title-for";
import { findCurrentProject } from "../../workflows/current-project";
import { TryChannel } from "./try-channel";

export const generateMetadata = titleFor("admin", "Channels");

const KINDS: Record<Channel["type"], string> = {
  slack: "Slack",
  email: "E-mail",
  webhook: "Webhook, signed",
  browser: "Desktop, for those who switched it on",
};

export default async function ChannelsPage() {
  await requirePermission("admin");
  const { db, now } = engineDeps();
  const project = findCurrentProject();
  const channels = project?.policy?.channels ?? [];
  const states = new Map(
    (await listChannelStates(db, project ? listOutside(project).map(({ name }) => name) : [])).map((state) => [
      state.channel,
      state,
    ]),
  );
  if (channels.length === 0) {
    return (
      <EmptyState title="Nobody is told">
        <p>
          Channels tell people that they are needed, with a link and no arguments: in Slack, by e-mail, by a signed
          webhook, on the desktop. They stand in <code>policy.yaml</code>, under <code>channels</code>.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <p className="px-4 py-3 text-sm text-ink-2 tablet:px-6">
        Where people are told that they are needed, with a link and no arguments. Set in <code>policy.yaml</code>, under{" "}
        <code>channels</code>.
      </p>
      <Table
        label="Channels"
        head={
          <>
            <Th>Channel</Th>
            <Th className="max-tablet:hidden">Is told of</Th>
            <Th>State</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </>
        }
      >
        {channels.map((channel) => (
          <ChannelRow key={channel.name} channel={channel} state={states.get(channel.name)} now={now().toISOString()} />
        ))}
      </Table>
    </>
  );
}

function ChannelRow({ channel, state, now }: { channel: Channel; state: ChannelState | undefined; now: string }) {
  return (
    <Row className="hover:bg-sunken/60">
      <Td className="align-top">
        <div className="font-medium">{channel.name}</div>
        <div className="text-sm text-ink-3">
          {KINDS[channel.type]}
          {channel.type === "email" ? ` to ${channel.to ? channel.to.join(", ") : "those who may decide"}` : null}
        </div>
      </Td>
      <Td className="align-top text-sm text-ink-2 max-tablet:hidden">
        <ul>
          {channel.events.map((event) => (
            <li key={event}>
              <code className="text-xs">{event}</code>
            </li>
          ))}
        </ul>
        {channel.groups ? <p className="text-ink-3">only what {channel.groups.join(" or ")} may decide</p> : null}
      </Td>
      <Td className="align-top text-sm">
        {state ? (
          <State state={state} now={now} />
        ) : (
          <span className="text-ink-3">told by the open pages themselves</span>
        )}
      </Td>
      <Td className="align-top">{state ? <TryChannel name={channel.name} /> : null}</Td>
    </Row>
  );
}

function State({ state: { waiting, sentAt, failure }, now }: { state: ChannelState; now: string }) {
  return (
    <div className="grid gap-1">
      {failure ? (
        <p className="wrap-anywhere text-critical">
          {failure.isGivenUp ? "Not delivered" : "Does not get through, is tried again"}: {failure.error}
        </p>
      ) : null}
      <p className="text-ink-2">
        {sentAt ? (
          <>
            last sent <RelativeTime at={sentAt.toISOString()} now={now} />
          </>
        ) : (
          "nothing sent yet"
        )}
      </p>
      {waiting > 0 ? (
        <p className="text-ink-2">{waiting === 1 ? "1 message waits" : `${waiting} messages wait`}</p>
      ) : null}
    </div>
  );
}
