/** Who did something: the same four facts in the database, on the audit trail, in the API and on the screen. */

export type ActorKind = "user" | "token" | "agent" | "system";

export interface Actor {
  kind: ActorKind;
  id: string;
  name: string;
  /** The person behind a token; the person is the actor's own id for `user`. */
  userId?: string;
  address?: string;
}

/** What Kimitsu does by itself: timers, takeover, anchors. */
export const SYSTEM_ACTOR: Actor = { kind: "system", id: "kimitsu", name: "Kimitsu" };

/** Someone at the command line of the machine that holds the database configuration. */
export const OPERATOR_ACTOR: Actor = { kind: "system", id: "command-line", name: "Command line" };
