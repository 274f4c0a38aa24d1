/**
 * The run was in progress while the database lost commits: none of its calls is sent before a person says that it was
 * not sent before.
 */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";

export interface CommitsLost extends Change {
  kind: "commits_lost";
  /** The history that the database has now. */
  history: string;
}

export const commitsLost: ChangeKind<CommitsLost> = {
  kind: "commits_lost",
  events: ({ history }) => [{ type: "run.commits_lost", data: { history } }],
  apply(snapshot, { at }) {
    snapshot.run.commitsLostAt = at;
  },
};
