/** Who did something: the same four fields in the database, on the audit trail, in the API and on the screen. */

export type ActorKind = "user" | "token" | "agent" | "system";

export interface Actor {
  kind: ActorKind;
  id: string;
  name: string;
  /** The person behind a token; the person is the actor's own id for `user`. */
  userId?: string;
  address?: string;
}

/** The person who acts, also through a token; null where nobody does. */
export const personOf = (actor: Actor): string | null => (actor.kind === "user" ? actor.id : (actor.userId ?? null));

/** What Kimitsu does by itself: timers, takeover, anchors. */
export const SYSTEM_ACTOR: Actor = { kind: "system", id: "kimitsu", name: "Kimitsu" };

/** Whether an event may leave its actor out: it is Kimitsu, and nothing else is known of it. */
export const isSystem = (actor: Actor): boolean =>
  actor.id === SYSTEM_ACTOR.id &&
  actor.kind === SYSTEM_ACTOR.kind &&
  actor.name === SYSTEM_ACTOR.name &&
  actor.userId === undefined &&
  actor.address === undefined;

/** Someone at the command line of the machine that holds the database configuration. */
export const OPERATOR_ACTOR: Actor = { kind: "system", id: "command-line", name: "Command line" };
