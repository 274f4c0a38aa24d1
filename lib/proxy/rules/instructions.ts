/** What the client's model is told about a profile. Pure. */

/** Claude Code cuts instructions here. */
const LENGTH_MAX = 2_048;

const OWN = `Some of these tools are approved by a person before they run. Such a call is not lost and needs no second request: calling the tool again with the same arguments joins the call that waits.
If a result has status "pending_approval", tell the user who is asked by its approval_url, go on with other work, and call kimitsu_get_result with its call_id later. Do not call it more than three times in a row: end your turn instead. kimitsu_cancel withdraws a call that was not sent.
If a call became a task, the task id is the call_id.`;

/** The profile's own come first; ours are never cut. */
export function instructionsOf(profile: { instructions?: string | undefined }): string {
  const given = profile.instructions?.trim() ?? "";
  const room = LENGTH_MAX - OWN.length - 2;
  const own = given.length > room ? `${given.slice(0, room - 1).toWellFormed()}…` : given;
  return own === "" ? OWN : `${own}\n\n${OWN}`;
}
