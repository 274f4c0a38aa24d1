/**
 * Each promised behaviour, once. A test cites the promises it would break with, by `verifies(id, title)`;
 * lib/testing/requirements.test.ts fails when an entry is cited by no test.
 */
export const REQUIREMENTS = {
  "sign-in:password": "The right e-mail and password lead into the console, and the sign-in is on the trail with its address.",
  "sign-in:same-answer": "An unknown e-mail and a wrong password get the same answer.",
  "sign-in:rate-limit:account": "Guesses at one account are refused past a limit, from whatever address, and the page says when to try again.",
  "sign-in:rate-limit:stranger": "However often a stranger guesses, the person still gets in with a browser that they have signed in with before; one address alone shuts out only itself.",
  "sign-in:rate-limit:address": "Guesses from one address at many accounts are refused past a limit.",
  "sign-in:rate-limit:forgiven": "A successful sign-in forgets the failures before it.",
  "sign-in:disabled": "A disabled person is not let in, and only someone who knows the password learns why.",
  "sign-in:next": "Who was sent to sign in comes back to the page they asked for.",
  "sign-in:next:stays": "No address after sign-in leads to another site.",
  "sign-in:without-scripts": "Signing in works with JavaScript off.",
  "sign-in:provider:verified": "A provider's account opens the person with the same e-mail only if the provider verified it.",
  "sign-in:provider:stranger": "A stranger from a public provider is not let in.",

  "session:sign-out": "Signing out ends the session in this browser, and its pages are closed from then on.",
  "session:cookie": "The session cookie cannot be read by scripts, is not sent along from other sites, and holds no role.",
  "session:forged": "A cookie that was signed with another secret opens nothing.",
  "session:role-change": "A changed role holds from the person's next request on, in pages already open too.",
  "session:disabled": "Disabling a person ends their sessions and tokens with the next request.",
  "session:password-change": "A new password ends every session from before it.",

  "roles:pages": "Each role is offered exactly the pages it may open.",
  "roles:hidden": "A page that a person may not open looks the same as one that does not exist.",
  "roles:api": "An operation of the API is refused to a role that does not include it, and a token beyond its scopes.",

  "access:refused": "No operation is open to someone without the right: not without a sign-in, not to a lower role, not to a token of another scope, not from another site; and a refusal changes nothing.",
  "access:ids": "An id that does not exist, is of another kind or is no id at all is not found, for every operation.",
  "access:get": "A GET changes nothing, so no link, preview or prefetch can decide.",

  "people:first-admin": "The first start makes one administrator, however many processes start at the same time.",
  "people:add": "An admin adds a person; a generated password is shown once and works.",
  "people:add:problems": "What is wrong with a new person is told at its field, all of it at once, and nothing is written.",
  "people:role": "An admin changes a role after being asked, and is told what it will allow.",
  "people:last-admin": "The last admin can be neither demoted nor shut out, and the refusal says why.",
  "people:own-password": "Changing one's own password needs the current one.",
  "groups:members": "A group has exactly the members it was given, and its name and members can be changed in the console.",

  "tokens:once": "A token is shown once and kept as a hash.",
  "tokens:works": "A token reads what its scopes and its person's role allow.",
  "tokens:revoke": "A revoked token is refused from its next request on; only its person or an admin can revoke it.",
  "tokens:refused": "An unknown, revoked or expired token, or one of a disabled person, is answered with 401.",
  "tokens:rate-limit": "An address that tries many tokens is told when to come back, and others are not touched.",
  "tokens:deciding": "The database refuses a token that can decide and that no person made.",

  "http:csrf": "A change that rides on a session cookie is taken from Kimitsu's own pages only.",
  "http:error-shape": "Every refusal has one shape: code, message, request id and all issues.",
  "http:body": "A body that is not JSON, is of another type or too large is refused before anything happens.",
  "http:fault": "A fault of ours is told as one, with the request id and nothing of its inside.",
  "http:openapi": "The OpenAPI document passes a linter and lists exactly the routes that are served.",
  "http:docs": "The API reference can be read without signing in.",
  "http:health": "Liveness and readiness answer to anyone; readiness says whether database and worker are there.",
  "http:metrics": "Metrics for Prometheus are given to a signed-in person or a token, and name no person.",
  "http:headers": "Every answer carries the security headers and a request id.",
  "http:csp": "Pages run under a content security policy with a fresh nonce, cannot be framed, and never break it themselves.",

  "audit:written": "Every change of people, groups and tokens is on a trail that verifies, without secrets.",
  "audit:tampering": "A row of the trail that was changed, removed, inserted or moved is named by the verification.",
  "audit:append-only": "The application's own database role can neither change nor remove what was written.",
  "audit:concurrent": "Parallel writers leave one chain, and no event falls between two anchors.",
  "audit:filters": "The audit page's filters are part of its address, and narrow what is shown.",
  "audit:pages": "The trail is read newest first, in pages that join without gap or repeat.",
  "audit:event": "An opened event shows what was sealed, with its hash and its place in the chain.",
  "audit:state": "The audit page says what the last verification found, and names the rows that do not hold.",
  "audit:export": "The trail is exported as JSON lines, oldest first, under the filter that is shown.",

  "inbox:card": "A card says what will happen, why it is asked with file and line, and exactly what would be sent; an approved call shows its result on the same card.",
  "inbox:reject": "A rejection carries its reason to the agent, and the tool is never called.",
  "inbox:edit": "Edited arguments keep their types, are shown as proposed and effective before they are sent, and are what is sent.",
  "inbox:keys": "The whole decision can be made by keys, which can be switched off and never act while someone writes.",
  "inbox:critical": "No single key approves a critical call: a value of it is typed first.",
  "inbox:seen": "A high or critical call is approved only after all of its arguments were on the screen.",
  "inbox:race": "Of two people on one card one decides; the other sees who it was, and that their own click was not recorded.",
  "inbox:expiry": "A call that expires while it is open says so and can no longer be decided.",
  "inbox:batch": "A batch decides calls one after the other and tells of each; critical ones cannot be picked.",
  "inbox:who": "Who cannot decide sees why, and who could.",
  "inbox:live": "New calls and decisions of others appear without a reload, in the queue and in the navigation.",
  "inbox:pages": "Every order of the queue pages without gap or repeat, and what counts as mine is what a person may decide.",
  "inbox:hidden": "Nothing in a card hides: characters that cannot be seen are named, long values are whole, and secrets show kind, length and fingerprint only.",
  "inbox:size": "The first load of the inbox takes less than 200 KB of script.",

  "insights:figures": "Insights counts exactly what happened in the days that are shown: approvals, waits, expiries, tokens and cost.",
  "insights:rules": "Insights names the rules that nobody ever said no to, with file and line.",
  "insights:quick": "Insights names approvals of dangerous calls that came too quickly to have been read.",
  "history:filters": "The filters of History are part of its address, name what cannot be read, and narrow the list to exactly the runs that fit.",
  "history:long": "A long History is read by scrolling, by keys and without scripts; only the rows near the window stand in the page.",
  "history:views": "A person's filters can be kept under a name and opened by it; they are theirs alone, and one of them can be what History opens with.",
  "history:export": "What is filtered is exported whole, as CSV or JSON lines, redacted like the page.",

  "run:timeline": "The timeline of a run can be zoomed by press, key, wheel and drawing across it.",
  "run:large": "A run of 10,000 events opens like any other, with pages of what it did.",
  "run:why": "A run says which lines of the YAML gated each call, and how long each approval took.",
  "run:print": "A run prints as its record, without navigation and with nothing folded.",
  "run:settle": "A call of which nobody knows whether it happened is settled by an operator on the run's page, in one of three ways, each with its consequence.",
  "run:review": "An answer that an agent wants seen is accepted or refused by a reviewer on the run's page.",

  "ui:accessible": "No page has a WCAG 2.2 AA violation that a machine can find, in light and in dark.",
  "ui:keyboard": "Signing in and changing a role need no mouse.",
  "ui:phone": "On a phone every page that the person may open is within reach of the thumb.",
  "ui:width": "No page scrolls sideways, from a small phone to a wide screen.",
  "ui:theme": "A chosen theme holds at once and after a reload.",

  "promise:1": "Every tool call, whatever the way in, passes one function that refuses what the policy refuses.",
  "promise:2": "A rejected, expired or cancelled call never reaches the tool server.",
  "promise:4": "What was shown is what runs: when arguments, tool, definition, approver or rule differ at dispatch, the call is not sent but asked again or refused.",
  "promise:6": "A value marked secret stands in no row of the database, whatever tools and webhooks give back.",
  "promise:7": "A decision has a person, who did not start the run and may decide; nobody else's word counts.",
  "promise:8": "Every decision and state change is on a trail that verifies.",
  "promise:9": "What is not known, or cannot be judged, is asked or refused.",
  "promise:10": "What is invalid is refused before it runs, with all problems at once.",
  "attack:poisoning": "Instructions that hide in a tool's definition are shown to whoever looks at it, and what a result claims moves no gate.",
  "attack:shadowing": "No server and no tool can take the name of another.",
  "attack:cross-client": "However many callers there are at once, nobody gets what is another's.",
  "attack:passthrough": "What proves who a caller is never goes on to a tool server.",
  "attack:toctou": "Arguments that two programs could read differently are refused, and a request cannot say what is decided.",

  "engine:parallel": "Any mix and order of decisions on the calls of one turn gives every call exactly one result.",
  "engine:budget": "A budget is never passed, however many calls run at once, and a warning stands at 80 %.",
  "engine:walk": "No sequence of decisions, expiries, edits, cancels, crashes and revoked approvers sends more than was granted, or anything else than was shown.",

  "promise:3": "An approved call reaches the tool server at most once, wherever a process is killed.",
  "promise:5": "Whatever process is killed at whatever moment, every run goes on from its last record on another one, and no recorded turn is asked for again.",
  "engine:stopped-process": "A process that was stopped past its lease and wakes again writes nothing more to its runs.",
  "engine:database-restart": "When the database goes away and comes back, runs go on without a restart of anything.",
  "engine:random-kills": "Many runs on processes that are killed at random all end, none lost and none doubled.",
  "engine:one-decision": "Of two people who decide at the same instant on two processes one wins, and the other learns who it was.",
  "engine:hand-over": "A process that ends hands its runs over at once, and the answers of calls that were sent are recorded.",
  "engine:stumble": "A run that cannot be advanced is tried again ever later, says why, and keeps no other run waiting.",

  "architecture:imports": "A folder that imports what it must not is a lint error that gives the reason.",
  "architecture:pure": "Rules read neither clock nor network nor environment; the environment is read in one file.",
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** The title of a test that would fail if this promise were broken. To cite two, nest them. */
export function verifies(id: RequirementId, title: string): string {
  return `[${id}] ${title}`;
}
