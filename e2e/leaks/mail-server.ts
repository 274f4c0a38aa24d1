/** A mail server. It knows its password, and repeats it in every refusal. */
import { SMTPServer } from "smtp-server";
import type { Place } from "./search";

export interface MailServer {
  /** With user and password, as a deployment would be given it. */
  url: string;
  /** How it treats mail from now on: refuses the sign-in, refuses the mail for now, or accepts it. */
  will(do_: "refuse-sign-in" | "put-off" | "take"): void;
  /** Who signed in, and with what. */
  signedIn: { user: string; password: string }[];
  /** The received mails, as sent and as a mail program shows them. */
  mails(): Place[];
  close(): Promise<void>;
}

export async function startMailServer({ user, password }: { user: string; password: string }): Promise<MailServer> {
  let behaviour: Parameters<MailServer["will"]>[0] = "take";
  const signedIn: MailServer["signedIn"] = [];
  const texts: string[] = [];
  const everything = () =>
    [
      `user ${user}`,
      `password ${password}`,
      Buffer.from(`\0${user}\0${password}`).toString("base64"),
      encodeURIComponent(password),
    ].join(", ");
  const server = new SMTPServer({
    // Without a certificate, as in many internal networks.
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      signedIn.push({ user: auth.username ?? "", password: auth.password ?? "" });
      if (behaviour === "refuse-sign-in") return done(refusal(535, `not with ${everything()}`));
      done(null, { user });
    },
    onData(stream, _session, done) {
      let text = "";
      stream
        .on("data", (chunk: Buffer) => (text += chunk.toString()))
        .on("end", () => {
          texts.push(text);
          done(behaviour === "put-off" ? refusal(451, `later, ${everything()}`) : null);
        });
    },
  });
  // A worker that crashes while sending a mail cuts the connection; the next one sends it again.
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ECONNRESET" && error.code !== "EPIPE") throw error;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.server.address();
  return {
    url: `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    will: (next) => void (behaviour = next),
    signedIn,
    mails: () => texts.map((text, index) => ({ name: `mail ${index + 1}`, text: `${text}\n${shown(text)}` })),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

/**
 * Mails break long lines and encode characters, in the text and in the subject; a secret that is split is still found.
 */
function shown(mail: string): string {
  const plain = mail
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const words = mail
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?[\w-]+\?([BQ])\?([^?]*)\?=/gi, (_match, kind: string, text: string) =>
      kind.toUpperCase() === "B"
        ? Buffer.from(text, "base64").toString("utf8")
        : text
            .replaceAll("_", " ")
            .replaceAll(/=([0-9A-F]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    );
  const unwrapped = mail.replaceAll(/\r?\n/g, "");
  return [plain, words, unwrapped].join("\n");
}
