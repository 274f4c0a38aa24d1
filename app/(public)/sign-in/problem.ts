/** Why a sign-in failed, and what to do next. */
export interface Problem {
  title: string;
  text: string;
}

interface Facts {
  /** For a provider's refusal: the address to add. */
  email?: string;
  retryAfterS?: number;
}

function waitWords(retryAfterS: number): string {
  if (retryAfterS <= 90) {
    const seconds = Math.max(1, Math.ceil(retryAfterS));
    return seconds === 1 ? "1 second" : `${seconds} seconds`;
  }
  return `${Math.ceil(retryAfterS / 60)} minutes`;
}

/**
 * One text for an unknown e-mail and a wrong password, so that nobody learns from it which addresses have an account.
 */
export function describeProblem(code: string, facts: Facts = {}): Problem {
  switch (code) {
    case "credentials":
    case "CredentialsSignin":
      return {
        title: "E-mail or password is not right",
        text: "Check both and try again. An admin can set a new password for you under Settings, People.",
      };
    case "rate_limited":
      return {
        title: "Too many attempts",
        text: `Sign-in for this e-mail or from this address is paused. Try again in ${facts.retryAfterS ? waitWords(facts.retryAfterS) : "a few minutes"}; the account itself is not locked, and a browser in which you have signed in before is not affected.`,
      };
    case "answer_lost":
      return {
        title: "No answer came",
        text: "The connection broke, so nobody knows whether you are signed in; nothing else was changed. Type the password again and try once more.",
      };
    case "disabled":
      return { title: "This account is disabled", text: "An admin can enable it again under Settings, People." };
    case "email_unverified":
      return {
        title: "The provider has not verified your e-mail address",
        text: "Confirm the address there, then sign in again.",
      };
    case "not_invited":
    case "AccessDenied":
      return {
        title: "This account is not known here",
        text: `Ask an admin to add ${facts.email || "your e-mail address"}, then sign in again.`,
      };
    case "OAuthAccountNotLinked":
      return { title: "This e-mail signs in another way", text: "Use the way you signed in with before." };
    case "OAuthCallbackError":
    case "OAuthSignInError":
    case "OAuthCallback":
      return {
        title: "The provider did not confirm the sign-in",
        text: "It was cancelled there, or took too long. Try again.",
      };
    default:
      return {
        title: "Sign-in did not work",
        text: "The server could not complete it; its log says why. Try again, or use another way.",
      };
  }
}
