/** The run continues without a tool server that cannot be reached: on its trail once for each server. */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";

export interface ServerMissed extends Change {
  kind: "server_missed";
  server: string;
  message: string;
}

export const serverMissed: ChangeKind<ServerMissed> = {
  kind: "server_missed",
  events: ({ server, message }) => [{ type: "server.unreachable", data: { server, message } }],
  apply({ run }, { server }) {
    if (!run.unreachable.includes(server)) run.unreachable.push(server);
  },
};
