/**
 * Each promised behaviour, once. A test cites the promises it would break with, by `verifies(id, title)`;
 * lib/testing/requirements.test.ts fails when an entry is cited by no test.
 */
export const REQUIREMENTS = {
  "sign-in:password":
    "The right e-mail and password lead into the console, and the sign-in is on the trail with its address.",
  "sign-in:same-answer": "An unknown e-mail and a wrong password get the same answer.",
  "sign-in:rate-limit:account":
    "Guesses at one account are refused past a limit, from whatever address, and the page says when to try again.",
  "sign-in:rate-limit:stranger":
    "However often a stranger guesses, the person still gets in with a browser that they have signed in with before; one address alone shuts out only itself.",
  "sign-in:rate-limit:address": "Guesses from one address at many accounts are refused past a limit.",
  "sign-in:rate-limit:forgiven": "A successful sign-in forgets the failures before it.",
  "sign-in:lost": "Where the answer to a sign-in got lost, the form says so and keeps everything but the password.",
  "sign-in:disabled": "A disabled person is not let in, and only someone who knows the password learns why.",
  "sign-in:next": "Who was sent to sign in comes back to the page they asked for.",
  "sign-in:next:stays": "No address after sign-in leads to another site.",
  "sign-in:without-scripts": "Signing in works with JavaScript off.",
  "sign-in:provider:verified":
    "A provider's account opens the person with the same e-mail only if the provider verified it.",
  "sign-in:provider:stranger": "A stranger from a public provider is not let in.",

  "session:sign-out":
    "Signing out ends the session: its cookie opens nothing from then on, wherever it was copied to, and the person's other browsers stay signed in.",
  "session:streams":
    "Open event streams end within seconds when their person is disabled, their session is signed out of or their token ends.",
  "session:cookie":
    "The session cookie cannot be read by scripts, is not sent along from other sites, and holds no role.",
  "session:forged": "A cookie that was signed with another secret opens nothing.",
  "session:role-change": "A changed role holds from the person's next request on, in pages already open too.",
  "session:disabled": "Disabling a person ends their sessions and tokens with the next request.",
  "session:password-change": "A new password ends every session from before it.",

  "roles:pages": "Each role is offered exactly the pages it may open.",
  "roles:hidden": "A page that a person may not open looks the same as one that does not exist.",
  "roles:api": "An operation of the API is refused to a role that does not include it, and a token beyond its scopes.",

  "access:refused":
    "No operation and no server action is open to someone without the right: not without a sign-in, not to a lower role, not to a token of another scope, not from another site; and a refusal changes nothing.",
  "actions:anything": "A server action that is called with what no page sends says what it refuses; it does not break.",
  "access:ids": "An id that does not exist, is of another kind or is no id at all is not found, for every operation.",
  "access:get": "A GET changes nothing, so no link, preview or prefetch can decide.",

  "people:first-admin": "The first start makes one administrator, however many processes start at the same time.",
  "demo:first-runs":
    "On an empty database the demo starts runs of its own, so that calls wait, runs have ended and one has failed; once, however many processes start at the same time.",
  "people:add": "An admin adds a person; a generated password is shown once and works.",
  "people:add:problems":
    "What is wrong with a new person is told at its field, all of it at once, and nothing is written.",
  "people:role": "An admin changes a role after being asked, and is told what it will allow.",
  "people:last-admin": "The last admin can be neither demoted nor shut out, and the refusal says why.",
  "people:own-password": "Changing one's own password needs the current one.",
  "groups:members":
    "A group has exactly the members it was given, and its name and members can be changed in the console.",
  "groups:project":
    "Whom policy.yaml names for a group is a member of it, as soon as they have an account and for as long as the file names them.",
  "groups:project:kept":
    "Whom policy.yaml names is not taken out of a group by hand, nor is such a group renamed or deleted; the refusal names the file and the line.",

  "tokens:once": "A token is shown once and kept as a hash.",
  "tokens:works": "A token reads what its scopes and its person's role allow.",
  "tokens:revoke": "A revoked token is refused from its next request on; only its person or an admin can revoke it.",
  "tokens:password-reset":
    "When an admin sets someone's password, that person's tokens end with their sessions; whoever changes their own keeps them.",
  "tokens:refused": "An unknown, revoked or expired token, or one of a disabled person, is answered with 401.",
  "tokens:rate-limit": "An address that tries many tokens is told when to come back, and others are not touched.",
  "tokens:profile":
    "A token for an MCP client has the scope mcp, no other, and names a profile that exists; one without is refused at use.",
  "tokens:deciding": "The database refuses a token that can decide and that no person made.",

  "http:csrf": "A change that rides on a session cookie is taken from Kimitsu's own pages only.",
  "http:error-shape": "Every refusal has one shape: code, message, request id and all issues.",
  "http:body": "A body that is not JSON, is of another type or too large is refused before anything happens.",
  "http:fault": "A fault of ours is told as one, with the request id and nothing of its inside.",
  "http:openapi": "The OpenAPI document passes a linter and lists exactly the routes that are served.",
  "http:docs": "The API reference can be read without signing in.",
  "http:health": "Liveness and readiness answer to anyone; readiness says whether database and worker are there.",
  "http:metrics": "Metrics for Prometheus are given to a signed-in person or a token, and name no person.",
  "http:database-away":
    "While the database is away the API answers 503 with when to come back, in its one shape; of a change it says that its outcome is not known.",
  "http:malformed-address": "An address whose percent-encoding is broken is answered with 400, in the one shape.",
  "http:exports": "Exports stream as they are read; a person has at most two at a time and is told when to come back.",
  "lists:bounded":
    "A list reads and gives what it shows: values of any size make no list large, and what it leaves out it says.",
  "http:headers": "Every answer carries the security headers and a request id.",
  "http:csp":
    "Pages run under a content security policy with a fresh nonce, cannot be framed, and never break it themselves.",

  "audit:written": "Every change of people, groups and tokens is on a trail that verifies, without secrets.",
  "audit:tampering":
    "A row of the trail that was changed, removed, inserted or moved is named by the verification, and so is a decision or a call of which the trail does not tell.",
  "audit:rows-against-seals":
    "Before a decision and before a call the sealed trail says what runs and who asked, whatever a row says; where they differ nothing is sent, and the verification names the row.",
  "audit:reasons":
    "The trail says why a call was allowed, asked or refused: layer, file and line, and the code of a refusal; the model is given the same reason.",
  "audit:append-only": "The application's own database role can neither change nor remove what was written.",
  "audit:concurrent": "Parallel writers leave one chain, and no event falls between two anchors.",
  "audit:filters": "The audit page's filters are part of its address, and narrow what is shown.",
  "audit:pages": "The trail is read newest first, in pages that join without gap or repeat.",
  "audit:retention":
    "What is over leaves the database by rule: runs leave their journal behind, months a signed file; the trail says so, and the rest verifies.",
  "audit:event": "An opened event shows what was sealed, with its hash and its place in the chain.",
  "audit:state": "The audit page says what the last verification found, and names the rows that do not hold.",
  "notices:token-person":
    "A message that says who decided names the person, and beside them the token through which they did.",
  "calls:api":
    "A run's calls can be read by the API, each with its arguments, the layers that judged it, who decided, and its result in the one shape, all of it redacted.",
  "cli:audit:json": "What `audit verify --json` prints is named in snake_case, as everything of the API is.",
  "audit:export": "The trail is exported as JSON lines, oldest first, under the filter that is shown.",

  "inbox:card":
    "A card says what will happen, why it is asked with file and line, and exactly what would be sent; an approved call shows its result on the same card.",
  "inbox:reject": "A rejection carries its reason to the agent, and the tool is never called.",
  "inbox:edit":
    "Edited arguments keep their types, are shown as proposed and effective before they are sent, and are what is sent.",
  "inbox:keys":
    "The whole decision can be made by keys, which can be switched off, never act while someone writes, and decide nothing but what the reader aimed at.",
  "inbox:critical": "No single key approves a critical call: a value of it is typed first.",
  "inbox:seen":
    "A high or critical call is approved only after all of its arguments were on the screen, and under nothing that stands over its end.",
  "inbox:folded":
    "Whatever its danger, no call is approved while an argument of it is folded that was never shown; not with changes, and not in a batch, which says so.",
  "inbox:consequences":
    "What each button does, and what happens when nobody decides, stands on the card, on a phone too; a button that is closed says why.",
  "inbox:race":
    "Of two people on one card one decides; the other sees who it was, and that their own click was not recorded.",
  "inbox:expiry": "A call that expires while it is open says so and can no longer be decided.",
  "inbox:batch":
    "A batch decides calls one after the other and tells of each, and before a rejection whose work it ends; it can be stopped, and critical ones cannot be picked.",
  "inbox:aim":
    "While someone points at the queue no row moves: what left stays marked in its place, and what came waits to be shown; only what was asked for since is called new.",
  "inbox:place":
    "Opening another card keeps the queue as it is: its place, what is picked, and the keys, however quickly they are pressed.",
  "inbox:who": "Who cannot decide sees why, and who could.",
  "inbox:live": "New calls and decisions of others appear without a reload, in the queue and in the navigation.",
  "inbox:hidden-tab": "An inbox that nobody looks at keeps no line open, and catches up when it is looked at.",
  "inbox:without-line": "An inbox without its line of events says so and asks for itself, until the line is back.",
  "inbox:count":
    "On every page the navigation and the tab's title say how many calls wait now; a browser keeps one line open for that, and none while nobody looks.",
  "inbox:pages":
    "Every order of the queue pages without gap or repeat, and what counts as mine is what a person may decide.",
  "inbox:filters":
    "Each filter and each order of the queue shows exactly the calls that it says, and is part of the address.",
  "inbox:search":
    "The queue can be narrowed to one tool, and to calls that have all the words that are looked for, in what their row shows or in who started them; both are part of the address.",
  "inbox:filters:pending": "A filter that was chosen shows at once, with a mark until its answer is there.",
  "inbox:extend":
    "More time for a call shows on its card and in the queue at once; what is copied from a card is what it shows, redacted.",
  "approvals:extend:limit":
    "A call can be kept waiting for seven days after it was asked, or for three times its rule's timeout where that is longer; a refusal names the latest time.",
  "inbox:hidden":
    "Nothing in a card hides: characters that cannot be seen are named, long values are whole, and secrets show kind, length and fingerprint only.",
  "inbox:same":
    "A card says that exactly this call was approved before, what became of it, and how many others that wait are exactly like it; so does a batch.",
  "console:pause":
    "An admin pauses all calls in the console: every page says so, an approved call is not sent, and it is sent once when calls go again.",
  "inbox:aside":
    "A call that was set aside sinks in its person's queue until a time or a change, and everyone reads the note; it never expires unseen.",
  "inbox:comment": "A comment with an approval stands on record beside it and never reaches the agent.",
  "inbox:drafts":
    "What was written and not sent outlives Esc and Back; words outlive other cards and a reload too, until they are sent or the call is over, and are nobody else's. Changed arguments are kept nowhere.",
  "inbox:looking":
    "Who has a card open is told to the others by name, across processes, and no longer when they have gone.",
  "inbox:notices":
    "A desktop notification comes only for a call that the person may decide, carries none of its arguments, and leads to its card.",
  "inbox:on-reject": "What the card says that a rejection will do is what happens, for each on_reject.",
  "inbox:ended":
    "A run that ends under an open card takes the buttons away; a late click is told that, and that nothing was recorded.",
  "inbox:changed":
    "Arguments that changed since they were read are not decided; an answer that got lost is never told as a refusal.",
  "inbox:reload": "A reload in the middle of a decision decides nothing and loses nothing that was decided.",
  "inbox:secret":
    "A secret planted in arguments, results and errors is in no page, no answer of the server and no storage of the browser.",
  "inbox:still": "Nothing on the inbox jumps while it loads and while others come and go.",
  "inbox:focus":
    "Focus goes on with the work: after a decision to the next call, after a form back to its button, after setting aside to the card that came.",
  "inbox:size": "The first load of the inbox takes less than 200 KB of script.",

  "tools:list":
    "Tools show the health of their server, their danger, who may use them, and for each agent what becomes of a call, with file and line.",
  "lock:unreachable":
    "A tool server that is away keeps what the lock had for it; the others are locked, and the command says so and ends with code 1.",
  "params:origin":
    "Each param of a tool server is shown with the value that holds and where it comes from: default, agent or workflow step, with file and line.",
  "explain:known":
    "The command explain judges by the definition and the pin that the database knows, says which definition that is, and works without a database.",
  "output:schema":
    "A model is given the schema of its answer from its first turn on: as structured output where the provider has it, in the system prompt otherwise.",
  "toolsets:gate":
    "A call to a tool of a toolset that is not loaded is answered with how to load it; it reaches neither the tool nor a reviewer, and is on the trail.",
  "toolsets:size":
    "With three tool servers and a hundred tools, what toolsets send of them on the first turn is at most a fifth of everything.",
  "meta:size":
    "In meta mode, what a client is sent of a hundred real tools on its first turn is at most a twentieth of everything.",
  "meta:search": "In meta mode, a question in plain words finds the tool that it means among the first three.",
  "meta:execute":
    "In meta mode, arguments that do not fit a tool's schema are refused with every problem and the part of the schema that they break; nothing is sent.",
  "tools:drift":
    "A tool whose definition changed is shown beside the one that was trusted, with what differs, asks a person until it is trusted again, and is counted in the navigation.",

  "insights:figures":
    "Insights counts exactly what happened in the days that are shown: approvals, waits, expiries, tokens and cost.",
  "insights:rules": "Insights names the rules that nobody ever said no to, with file and line.",
  "insights:quick": "Insights names approvals of dangerous calls that came too quickly to have been read.",
  "clients:page":
    "The page of clients shows profiles with the command that connects a client to each, the tokens for them, and sessions.",
  "clients:sessions":
    "Sessions are listed with client, person, token, profile, calls, waiting, failed and cost, those used last first, and can be filtered.",
  "clients:transcript":
    "A session's page shows each call in order: what was asked, redacted, what the policy said, who decided, and what came back.",
  "clients:end": "Who may revoke a token can do so from the page of a session that uses it; nobody else is offered it.",
  "clients:asking":
    "A card says which client and which session asks, that the name is the client's own word, and what that session did before.",
  "connect:writes":
    "The command connect adds its entry to a client's file and leaves everything else in it as it is, comments included; a file that it cannot read it leaves alone.",
  "connect:asks": "The command connect shows what would change in a file and changes it only when told to.",
  "connect:checks":
    "The command connect lists the tools with the new token before it keeps it; when that fails it says why, and the token is revoked.",
  "connect:secret": "A token is in no address, and a file that holds one can be read by its owner only.",

  "history:filters":
    "The filters of History are part of its address, name what cannot be read, and narrow the list to exactly the runs that fit.",
  "history:long":
    "A long History is read by scrolling, by keys and without scripts; only the rows near the window stand in the page.",
  "history:views":
    "A person's filters can be kept under a name and opened by it; they are theirs alone, and one of them can be what History opens with.",
  "history:sessions":
    "History shows the calls of one session of an MCP client as one row with their number, at the newest of them, and pages of it neither miss nor repeat a row.",
  "history:via": "Runs that MCP clients made, and runs of workflows, can be listed apart, and those of one session.",
  "history:export": "What is filtered is exported whole, as CSV or JSON lines, redacted like the page.",

  "run:settled": "A call that a person settled shows how long its tool took, and apart from that how long nobody knew.",
  "run:held":
    "A run that waits says that it is held, for whom, and leads to each step's conversation and to the question.",
  "run:cancel": "A run is cancelled with what waited in it, and a retry goes on as a new run that is linked to it.",
  "run:live": "What becomes of a run shows on its page while it is open, without a reload.",
  "run:secrets": "A secret stands in no view of a run, and a run that does not exist is not found.",
  "run:timeline": "The timeline of a run can be zoomed by press, key, wheel and drawing across it.",
  "run:large":
    "A run of 10,000 events opens like any other, with pages of what it did; its timeline has all of it, and says what is shown of how many.",
  "run:still": "What of a long run comes after the rest of its page moves nothing that is there.",
  "run:why": "A run says which lines of the YAML gated each call, and how long each approval took.",
  "run:edited":
    "Where a person changed a call, the run shows what the agent proposed beside what was sent, hiding what the call hides.",
  "run:copy": "What a run shows of arguments, results, output and hashes can be copied, redacted as it is shown.",
  "run:print": "A run prints as its record, without navigation and with nothing folded.",
  "run:settle":
    "A call of which nobody knows whether it happened is settled by an operator on the run's page, in one of three ways, each with its consequence.",
  "run:settle:named":
    "The envelope of a run names the calls of which nobody knows whether they happened, so that a client can settle them.",
  "history:about":
    "Rows of History, of the palette's runs and of the trail say in one line, made from facts and never by a model, what they are about.",
  "needs:count":
    "Runs that need a person outside the inbox, to review an answer or to settle a call, are counted in the navigation for those who may act, live, and the number leads to exactly these.",
  "run:acts":
    "Who cancelled a run, settled a call or decided a review, when and why, stands at the head of the run's page and with the call or step itself.",
  "run:review": "An answer that an agent wants seen is accepted or refused by a reviewer on the run's page.",
  "run:review:own":
    "Whoever started a run, or one that it is a retry of, cannot accept an answer that its agent put before a person, unless `permissions.self_approval` says so.",

  "workflows:start":
    "A run is started from a form that the workflow's schema makes, and what does not fit is told at its field.",
  "workflows:versions":
    "A workflow lists the versions and configurations under which its last runs began, with their runs.",
  "workflows:who": "Who may not start runs gets no form, and a workflow that is part of others cannot be started.",

  "ui:accessible": "No page has a WCAG 2.2 AA violation that a machine can find, in light and in dark.",
  "ui:offline":
    "Without a network the console stays and says so, sends nothing, and catches up by itself; neither a lost answer nor a server that is away replaces it by the browser's error page.",
  "ui:lost-answer":
    "A form whose answer got lost keeps what was typed and says that it may or may not have been done; it is never told as a refusal, nor as done.",
  "ui:problems": "A form that is refused for what is in a field puts the focus there, so that the problem is read out.",
  "ui:working": "What was asked for and is not there yet shows on what was pressed.",
  "console:times":
    "Pages show and take times as the reader's own clock has them, and an address means the same moments to everyone.",
  "ui:keyboard": "Signing in and changing a role need no mouse.",
  "ui:phone": "On a phone every page that the person may open is within reach of the thumb.",
  "ui:width": "No page scrolls sideways, from a small phone to a wide screen.",
  "preferences:account": "Preferences are kept with the account and hold in every browser, from the first byte on.",
  "ui:installable": "The console can be installed: a manifest, and icons for every use.",
  "ui:palette":
    "One field, opened by a key, leads to pages, waiting calls, runs, workflows, tools and people, as far as the person's role goes.",
  "ui:toasts":
    "What is told in passing covers nothing that is read or pressed next, at any width, stays while it is pointed at, and can be dismissed.",
  "ui:tabs": "On a phone the tab of the page is in sight, and tabs that do not fit fade at the edge.",
  "ui:theme": "A chosen theme holds at once and after a reload.",

  "promise:1": "Every tool call, whatever the way in, passes one function that refuses what the policy refuses.",
  "promise:2": "A rejected, expired or cancelled call never reaches the tool server.",
  "promise:4":
    "What was shown is what runs: when arguments, tool, definition, approver or rule differ at dispatch, the call is not sent but asked again or refused.",
  "calls:outcomes":
    "Once a tool call or a webhook was sent, it fails only when the answer proves that nothing happened; whatever else comes back waits for a person.",
  "calls:reads-fail":
    "A read-only call without a usable answer is tried again a few times and then fails with its reason; no person is asked.",
  "servers:waited-for":
    "A required tool server that is away when an agent lists its tools is waited for as approved calls are; the run holds nothing meanwhile and can be cancelled.",
  "calls:server-away":
    "A call that a person approved, and whose server is away for some seconds, is sent once when the server is back; a cancel meanwhile means that it is never sent.",
  "approval:critical:confirmed":
    "A critical call is approved only with a value of it, typed on a page or stated by a program, from wherever the approval comes.",
  "approval:stricter":
    "Where the project's rule became stricter while a call waits, the card says so and a decision is held to the stricter rule.",
  "approval:reach":
    "A card says what a rejection really ends: the run, an item that its fan-out may lose, or a sub-agent whose caller goes on.",
  "tools:looked-at":
    "The health and the tools of a server are known although no run has used it, and a change that it announces is shown at once.",
  "promise:6": "A value marked secret stands in no row of the database, whatever tools and webhooks give back.",
  "secrets:spellings":
    "A known secret is taken out of results and errors in every spelling that SECURITY.md lists, and what is not found is named there.",
  "hosting:shared":
    "A tool server as a process runs once for all uses with the same params and credential, and never serves another.",
  "hosting:died":
    "A call that was given to a process which then ended is unknown, however the process ended; the next call gets a new process.",
  "hosting:crash-loop":
    "A process that ends again and again is started ever more seldom, and its server's state says why.",
  "hosting:memory":
    "A process that uses more memory than its limit, with all that it started, is ended, and what its call became of is unknown.",
  "hosting:group": "A hosted process ends with everything that it started, and its folder is removed.",
  "hosting:orphans": "When Kimitsu is killed, no hosted process outlives it by more than seconds.",
  "hosting:secrets": "A hosted process gets secrets in its environment, in no message and in no argument.",
  "hosting:stderr":
    "What a hosted process writes to its standard error is in the log, line by line, without secrets and in bounds.",
  "servers:list-auth":
    "A server with `list_auth: none` is connected to and listed without its credential, which is only sent with a call that may be made.",
  "webhook:fixed-address":
    "A webhook that carries a secret goes to an address that the file or the deployment fixes: neither params nor a step nor a model choose its scheme, host or port.",
  "webhook:no-climb":
    "What templates put into the path or the query of an address stays there as data: it arrives percent-encoded and cannot climb out of its place.",
  "promise:7":
    "A decision has a person, who started neither the run nor one that it is a retry of, and may decide; nobody else's word counts.",
  "meta:served":
    "A profile in meta mode shows four tools in place of all, finds only what it grants, and calls it by the same policy.",
  "proxy:allowed":
    "A client's call that the policy allows is on record before it leaves and ends in one more commit; a worker that dies meanwhile leaves it to a person unless repeating it is harmless.",
  "proxy:asked":
    "A client's call that people are asked about is on record before it is answered, runs once as it was approved or edited, and never after a rejection or a cancel.",
  "proxy:same-call":
    "The same call of the same token made again joins the one that is open or whose outcome was not delivered: one question, one execution.",
  "proxy:refused":
    "A client's call that the policy, a budget or a pause stands against is on record with the reason and reaches no tool.",

  "proxy:serve":
    "A client with a token of scope mcp that is bound to a profile sees that profile's tools at /mcp, in both eras of the protocol, and calls them through the gate.",
  "proxy:door":
    "Nobody comes in at /mcp without such a token, from a stranger's page or under a stranger's host name; a session and a call belong to the token that opened them; a revoked token's sessions and held requests end at once.",
  "proxy:pending":
    "A call that waits for a person is answered by what its client declared: a task, progress with the console's link, or a pending result that is no error; its outcome is fetched later, after a disconnect too.",
  "proxy:conformance":
    "Through the gate, a conformant server stays one: every scored scenario passes in both requirement sets but those in which a server tells or asks the client something besides its answer.",
  "promise:8": "Every decision and state change is on a trail that verifies.",
  "promise:9": "What is not known, or cannot be judged, is asked or refused.",
  "config:profiles":
    "A profile is checked like every other file, in its own words; what it stands for is neither a workflow nor an agent that people see or start.",
  "promise:10": "What is invalid is refused before it runs, with all problems at once.",
  "leaks:none":
    "No secret of any kind stands in the database, a log of any process, a trace, what an error says that nobody caught, an answer, a stream, a page, a message to a channel, the browser's storage, a command's output or a file.",
  "attack:poisoning":
    "Instructions that hide in a tool's definition are shown to whoever looks at it, are told to no model, and let no tool run unasked that nobody has locked; what a result claims moves no gate.",
  "attack:shadowing": "No server and no tool can take the name of another.",
  "attack:cross-client": "However many callers there are at once, nobody gets what is another's.",
  "attack:passthrough": "What proves who a caller is never goes on to a tool server.",
  "attack:map": "The map of attacks names tests that exist, for every class of attack.",
  "attack:toctou":
    "Arguments that two programs could read differently are refused, and a request cannot say what is decided.",

  "engine:parallel": "Any mix and order of decisions on the calls of one turn gives every call exactly one result.",
  "engine:budget": "A budget is never passed, however many calls run at once, and a warning stands at 80 %.",
  "engine:budget:estimate":
    "What is set aside for a turn is a little more than what its text costs by the tokenizers in use, never less.",
  "engine:walk":
    "No sequence of decisions, expiries, edits, cancels, crashes and revoked approvers sends more than was granted, or anything else than was shown.",

  "promise:3": "An approved call reaches the tool server at most once, wherever a process is killed.",
  "promise:5":
    "Whatever process is killed at whatever moment, every run goes on from its last record on another one, and no recorded turn is asked for again.",
  "engine:one-watcher":
    "However many processes there are, one of them looks for those that died, and another one does when it dies itself.",
  "engine:stopped-process":
    "A process that was stopped past its lease and wakes again writes nothing more to its runs.",
  "engine:database-restart": "When the database goes away and comes back, runs go on without a restart of anything.",
  "engine:read-only":
    "When the database refuses writes for a while, no run ends with a call that is open or without a record, and no call is sent twice.",
  "engine:lost-commits":
    "After a failover that lost commits, no call that may have been sent before it is sent again without a person who says so.",
  "engine:upgrade":
    "A database of the first schema goes on after all migrations since: what waits is decided and completes, what a dead worker left under way is taken over, what is over verifies.",
  "engine:random-faults":
    "Many runs on processes that are killed, stopped and cut off at random, those that serve requests too, all end, none lost and none doubled.",
  "engine:one-decision":
    "Of two people who decide at the same instant on two processes one wins, and the other learns who it was.",
  "engine:hand-over":
    "A process that ends hands its runs over at once, and the answers of calls that were sent are recorded.",
  "engine:fault": "A run that cannot be advanced is tried again ever later, says why, and keeps no other run waiting.",

  "protection:queue":
    "While the queue is full no run is started, and the answer is 503 with when to come back; what waits for people and what runs goes on, and when the queue is shorter runs start again.",
  "protection:rate":
    "One token that asks too often is answered 429 with when to come back; others are not touched, and soon it is answered again.",
  "protection:requests":
    "A process that works on as many requests as it takes refuses further ones at once with 503 and when to come back, never its probes, and goes on with those it has.",
  "protection:database":
    "While statements pile up before the database, requests are refused with 503 and when to come back, and probes are not.",
  "protection:streams":
    "Event streams of every kind have one limit for a person (429) and one for the process (503), and a client that goes away makes room.",
  "operations:trace":
    "A run is one trace through every process that had a part in it and on to the tool server, and holds names, ids and figures only.",
  "operations:metrics":
    "Metrics count what happened and say what waits, in each process; without the database they say so.",
  "operations:metrics-bounded":
    "A scrape costs the same beside a million paused runs as beside ten thousand: counts stop there.",
  "operations:proxy-warning":
    "Forwarding headers that arrive and are ignored are told in the log once, with what to set.",
  "operations:dashboard": "The dashboard and the production guide name metrics that exist.",
  "operations:worker-probes":
    "A process that only advances runs can be asked whether it lives, and scraped with a token.",
  "operations:prune": "What has run out is removed without anyone asking.",
  "operations:deploy": "What the files for containers and systemd name exists.",

  "architecture:imports": "A folder that imports what it must not is a lint error that gives the reason.",
  "architecture:gate": "Only lib/tools speaks to tool servers, and only the gate has it make a call.",
  "architecture:pure": "Rules read neither clock nor network nor environment; the environment is read in one file.",

  "builtin:params":
    "What is given to a built-in server is checked when the project is read: unknown params and wrong types are named with file and line.",
  "builtin:lock": "Tools of built-in servers are locked, judged and shown like those of any other server.",
  "builtin:files":
    "The server kimitsu/files reads, writes, moves, deletes, lists and searches files in one folder, each tool with its danger level.",
  "builtin:files:atomic": "A write of a file is complete or did not happen, and keeps the mode of the file.",
  "builtin:files:kept": "What a write, a delete or a move replaces is handed over before it is gone.",
  "builtin:files:confined": "No path leads out of the allowed folder.",
  "builtin:files:links": "Links are never followed, wherever they lead.",
  "builtin:files:races": "Exchanging a folder for a link while a call runs leads nowhere.",
  "builtin:files:special": "Devices, pipes, sockets and the files of the kernel are never opened.",
  "builtin:files:read-only": "What the project says is read-only is not changed in any way.",
  "builtin:files:exact": "A path means exactly the file of that name, in no other spelling.",
  "builtin:files:own":
    "No agent reaches the secrets of the installation through files, nor changes the project that it runs under.",
  "builtin:files:deployment": "The deployment confines the folders of all projects.",
  "builtin:files:limits":
    "Files, folders and trees of any size are handled within limits, and the answer says what was left out.",
  "builtin:files:approved":
    "A file is written after a person approved it, as it was shown; a rejected write leaves no file.",

  "builtin:http": "The server kimitsu/http sends GET, POST, PUT and DELETE requests, each tool with its danger level.",
  "builtin:web": "The server kimitsu/web reads pages as Markdown or as they are, and lists their links.",
  "builtin:http:ssrf":
    "No request of a built-in server reaches an address that is not public, in whatever spelling, unless deployment and project both name its host.",
  "builtin:http:redirects":
    "Each redirect is judged like a new request, and headers of a call stay with the origin that they were given for.",
  "builtin:http:hosts": "Hosts that the project does not allow, or refuses, are not asked.",
  "builtin:http:limits": "Answers of any size, speed or encoding are read within limits.",
  "builtin:web:hostile": "A page made to take forever or all memory ends within its limits and harms nothing else.",

  "builtin:shell":
    "The server kimitsu/shell runs a program by its arguments and gives back stdout, stderr and exit code.",
  "builtin:shell:arguments":
    "No argument is read by a shell unless the project says so, and no list of commands is escaped by one.",
  "builtin:shell:sandbox":
    "A command sees only the system's programs and its folder, writes nowhere else, and has no network unless the project says so.",
  "builtin:shell:refused":
    "Where there is no sandbox, commands are refused with the reason, unless the deployment allows them without.",
  "builtin:shell:ended": "A command that lasts or prints too long is ended with everything that it started.",

  "builtin:git":
    "The server kimitsu/git shows the state, differences and history of one repository, stages files, makes branches and commits.",
  "builtin:git:arguments": "No argument of a call is read by git as an option, a pattern or a program.",
  "builtin:git:repository": "Nothing in a repository makes git run a program: no hook, filter, or other setting.",
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** The title of a test that would fail if this promise were broken. To cite two, nest them. */
export function verifies(id: RequirementId, title: string): string {
  return `[${id}] ${title}`;
}
