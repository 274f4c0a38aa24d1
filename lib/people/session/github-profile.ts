/** The address of GitHub's API; tests use another one. */
const API = "https://api.github.com";

interface GitHubEmail {
  email: string;
  primary: boolean;
  verified: boolean;
}

/**
 * The person as GitHub knows them, with their primary e-mail if it is verified, and with none otherwise. The public
 * e-mail of the profile is not used: it does not prove who receives its mail.
 */
export async function readGitHubProfile(accessToken: string, api = API): Promise<Record<string, unknown>> {
  const ask = (path: string) =>
    fetch(api + path, {
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: "application/vnd.github+json",
        "user-agent": "kimitsu",
      },
    });
  const [user, emails] = await Promise.all([ask("/user"), ask("/user/emails")]);
  const listed: unknown = emails.ok ? await emails.json() : [];
  const own = (Array.isArray(listed) ? (listed as GitHubEmail[]) : []).find(
    ({ primary, verified }) => primary === true && verified === true,
  );
  return { ...((await user.json()) as object), email: own?.email ?? null, email_verified: own !== undefined };
}
