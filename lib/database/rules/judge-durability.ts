/** Which settings of a database let it lose commits that it has confirmed. Pure. */
export interface Durability {
  fsync: boolean;
  /** As it applies to Kimitsu's connections. */
  synchronousCommit: string;
  synchronousStandbyNames: string;
  /** Standbys that are connected now. */
  standbys: number;
}

export interface DurabilityWarning {
  code: "fsync_off" | "synchronous_commit_low" | "standbys_asynchronous";
  text: string;
  hint: string;
}

/** With these a commit is on disk, and on the standby's disk, before it is confirmed. */
const WAITS = ["on", "remote_apply"];

export function listDurabilityWarnings({
  fsync,
  synchronousCommit,
  synchronousStandbyNames,
  standbys,
}: Durability): DurabilityWarning[] {
  return [
    ...(fsync
      ? []
      : [
          {
            code: "fsync_off" as const,
            text: "fsync is off: a crash of the machine can lose or damage everything",
            hint: "Set fsync = on.",
          },
        ]),
    ...(WAITS.includes(synchronousCommit)
      ? []
      : [
          {
            code: "synchronous_commit_low" as const,
            text: `synchronous_commit is ${synchronousCommit}: a crash can lose calls that were on record as sent, and they may be sent again`,
            hint: "Set synchronous_commit = on, also where a role or the database has a setting of its own.",
          },
        ]),
    ...(standbys === 0 || synchronousStandbyNames !== ""
      ? []
      : [
          {
            code: "standbys_asynchronous" as const,
            text: `${standbys} ${standbys === 1 ? "standby follows" : "standbys follow"} and synchronous_standby_names is empty: a failover can lose commits, and people are then asked about every call that was under way`,
            hint: "Switch synchronous replication on (Patroni: synchronous_mode: true), with at least two standbys; see Failover in docs/operations.md.",
          },
        ]),
  ];
}
