/** Where GitHub answers; another place in tests. */
const API = "https://api.github.com";

interface GitHubEmail {
  email: string;
  primary: boolean;
  verified: boolean;
}

/**
 * The person as GitHub knows them, with their primary e-mail if it is verified, and with none otherwise. The e-mail of
 * the profile itself is not taken: it is the one that the person shows to others, and says nothing of who reads it.
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
