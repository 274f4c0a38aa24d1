/**
 * What each server action is called with, and who may. An action may be listed more than once: for what is one's own,
 * and for what is somebody else's.
 */
import { ROLES, type Role } from "@/lib/people/rules/roles";
import { TEST_PASSWORD } from "@/lib/testing/builders";
import { form } from "./call-action";
import type { Things } from "./things";

export interface Case {
  /** Beside the name of the action. */
  about?: string;
  /** Everybody else is refused, and so are people who are not signed in. */
  may: readonly Role[];
  /** What it makes of the database when it is let through; nothing, unless said. */
  reads?: true;
  /** Makes what is acted upon, and gives the arguments, with what the address names. */
  make(things: Things): Promise<{ args: unknown[]; params?: Record<string, string> }>;
}

const IDLE = { status: "idle", message: "", issues: {}, values: {} };
const filled = (fields: Record<string, string>, params: Record<string, string> = {}) => ({
  args: [IDLE, form(fields)],
  params,
});

const ALL = ROLES;
const NOBODY: readonly Role[] = [];
const DECIDERS: readonly Role[] = ["reviewer", "operator", "admin"];
const OPERATORS: readonly Role[] = ["operator", "admin"];
const ADMINS: readonly Role[] = ["admin"];

/**
 * By the name of the action. Those of the sign-in page are for people who are not signed in, and are listed separately.
 */
export const CASES: Record<string, Case[]> = {
  "(console)/preferences.ts savePreferences": [{ may: ALL, make: async () => ({ args: [{ keys: false }] }) }],
  "(console)/history/actions.ts save": [
    { may: ALL, make: async ({ unique }) => filled({ name: unique("Mine"), query: "status=failed" }) },
  ],
  "(console)/history/actions.ts change": [
    { may: ALL, make: async ({ self, view, unique }) => filled({ id: await view(self), name: unique("Renamed") }) },
    {
      about: "of somebody else",
      may: NOBODY,
      make: async ({ person, view, unique }) => filled({ id: await view(await person()), name: unique("Renamed") }),
    },
  ],
  "(console)/history/actions.ts remove": [
    { may: ALL, make: async ({ self, view }) => filled({ id: await view(self) }) },
    {
      about: "of somebody else",
      may: NOBODY,
      make: async ({ person, view }) => filled({ id: await view(await person()) }),
    },
  ],
  "(console)/history/[runId]/actions.ts cancel": [
    {
      may: OPERATORS,
      make: async ({ pending }) => ((runId) => filled({ runId, reason: "enough" }, { runId }))((await pending()).runId),
    },
  ],
  "(console)/history/[runId]/actions.ts retry": [
    { may: OPERATORS, make: async ({ failed }) => ((runId) => filled({ runId }, { runId }))(await failed()) },
  ],
  "(console)/history/[runId]/actions.ts settle": [
    {
      may: OPERATORS,
      make: async ({ unknown }) =>
        (({ runId, callId }) => filled({ runId, callId, outcome: "failed" }, { runId }))(await unknown()),
    },
  ],
  "(console)/history/[runId]/actions.ts review": [
    {
      may: DECIDERS,
      make: async ({ toReview }) =>
        (({ runId, stepId }) => filled({ runId, stepId, accepted: "yes" }, { runId }))(await toReview()),
    },
  ],
  "(console)/inbox/actions.ts decideCard": [
    {
      about: "to approve",
      may: DECIDERS,
      make: async ({ pending }) =>
        (({ approvalId, digest }) => ({ args: [{ approvalId, digest, verdict: "approved" }] }))(await pending()),
    },
    {
      about: "to reject",
      may: DECIDERS,
      make: async ({ pending }) =>
        (({ approvalId, digest }) => ({ args: [{ approvalId, digest, verdict: "rejected", reason: "no" }] }))(
          await pending(),
        ),
    },
    {
      about: "with other arguments",
      may: DECIDERS,
      make: async ({ pending }) =>
        (({ approvalId, digest }) => ({
          args: [{ approvalId, digest, verdict: "approved", edits: [{ name: "n", value: 2 }] }],
        }))(await pending()),
    },
  ],
  "(console)/inbox/actions.ts reviewCardEdit": [
    {
      may: DECIDERS,
      reads: true,
      make: async ({ pending }) => ({ args: [(await pending()).approvalId, [{ name: "n", value: 2 }]] }),
    },
  ],
  "(console)/inbox/actions.ts extendCard": [
    { may: DECIDERS, make: async ({ pending }) => ({ args: [(await pending()).approvalId] }) },
  ],
  "(console)/inbox/actions.ts setCardAside": [
    {
      may: DECIDERS,
      make: async ({ pending }) => ({
        args: [{ approvalId: (await pending()).approvalId, minutes: 30, note: "later" }],
      }),
    },
  ],
  "(console)/inbox/actions.ts takeCardUp": [
    { may: DECIDERS, make: async ({ self, setAside }) => ({ args: [await setAside(self)] }) },
    {
      about: "that somebody else set aside",
      may: NOBODY,
      make: async ({ person, setAside }) => ({ args: [await setAside(await person("reviewer"))] }),
    },
  ],
  "(console)/workflows/actions.ts startWorkflow": [
    { may: OPERATORS, make: async () => filled({ workflow: "main", "param:what": "fail" }, { name: "main" }) },
  ],
  "(console)/settings/actions.ts saveOwnName": [
    { may: ALL, make: async ({ unique }) => filled({ name: unique("Me") }) },
  ],
  "(console)/settings/actions.ts changeOwnPassword": [
    { may: ALL, make: async () => filled({ currentPassword: TEST_PASSWORD, password: "a new lantern 43 lake" }) },
    {
      about: "without the current one",
      may: NOBODY,
      make: async () => filled({ currentPassword: "not it", password: "a new lantern 43 lake" }),
    },
  ],
  "(console)/settings/tokens/actions.ts addToken": [
    { may: ALL, make: async ({ unique }) => filled({ name: unique("Token"), expires: "30", scopes: "runs:read" }) },
    {
      about: "with more than the role",
      may: ADMINS,
      make: async ({ unique }) => filled({ name: unique("Token"), expires: "30", scopes: "admin" }),
    },
  ],
  "(console)/settings/tokens/actions.ts endToken": [
    { may: ALL, make: async ({ self, token }) => filled({ tokenId: await token(self) }) },
    {
      about: "of somebody else",
      may: ADMINS,
      make: async ({ person, token }) => filled({ tokenId: await token(await person()) }),
    },
  ],
  "(console)/settings/all-calls/actions.ts changePause": [
    { about: "to go on", may: ADMINS, make: async ({ pause }) => pause().then(() => filled({ paused: "no" })) },
    { about: "to stop", may: ADMINS, make: async () => filled({ paused: "yes" }) },
  ],
  "(console)/settings/channels/actions.ts tryChannel": [
    { may: ADMINS, reads: true, make: async () => filled({ channel: "letters" }) },
  ],
  "(console)/settings/groups/actions.ts addGroup": [
    { may: ADMINS, make: async ({ unique }) => filled({ name: unique("group").replace(" ", "-").toLowerCase() }) },
  ],
  "(console)/settings/groups/actions.ts saveGroup": [
    {
      may: ADMINS,
      make: async ({ group, unique }) =>
        ((groupId) => filled({ groupId, name: unique("group").replace(" ", "-") }, { groupId }))(await group()),
    },
  ],
  "(console)/settings/groups/actions.ts removeGroup": [
    { may: ADMINS, make: async ({ group }) => ((groupId) => filled({ groupId }, { groupId }))(await group()) },
  ],
  "(console)/settings/groups/actions.ts changeMember": [
    {
      about: "to be in it oneself",
      may: ADMINS,
      make: async ({ group, self }) =>
        ((groupId) => filled({ groupId, userId: self.id, member: "yes" }, { groupId }))(await group()),
    },
  ],
  "(console)/settings/people/actions.ts addPerson": [
    {
      may: ADMINS,
      make: async ({ unique }) =>
        filled({
          email: `${unique("p").replace(" ", "-")}@example.test`,
          name: "New",
          role: "admin",
          password: "paper lantern 44 sea",
        }),
    },
  ],
  "(console)/settings/people/actions.ts changeRole": [
    { may: ADMINS, make: async ({ person }) => filled({ userId: (await person()).id, role: "reviewer" }) },
    // An admin is one already, and stays it.
    {
      about: "of oneself, to admin",
      may: ADMINS,
      reads: true,
      make: async ({ self }) => filled({ userId: self.id, role: "admin" }),
    },
  ],
  "(console)/settings/people/actions.ts changeDisabled": [
    { may: ADMINS, make: async ({ person }) => filled({ userId: (await person()).id, disabled: "yes" }) },
  ],
  "(console)/settings/people/actions.ts changePassword": [
    {
      may: ADMINS,
      make: async ({ person }) => filled({ userId: (await person()).id, password: "a new lantern 45 hill" }),
    },
  ],
};

/**
 * For whoever is not signed in, or is about to be signed out: nothing that is kept changes, but the tables named for
 * who is signed in.
 */
export const OPEN: Record<string, { args: unknown[]; changes?: string[] }> = {
  "(console)/sign-out.ts signOutHere": {
    args: [],
    changes: ["chains", "ended_sessions", "events", "journal", "projected_runs"],
  },
  "(public)/sign-in/actions.ts signInWithPassword": {
    args: [{ problem: null, email: "" }, form({ email: "nobody@example.test", password: "not it" })],
  },
  "(public)/sign-in/actions.ts signInWithProvider": { args: [form({ provider: "none" })] },
};
