import { createTransport } from "nodemailer";
import type { Message } from "@/lib/notices/rules/notice";
import { NOTICE_TIMEOUT_MS } from "@/lib/limits";
import type { NoticeDeps } from "@/lib/notices/notice-deps";
import { SendFailure } from "@/lib/notices/send-failure";

export interface Mail {
  /** The same when it is sent again, so that mail programs show it once. */
  id: string;
  to: string[];
  message: Message;
}

/** Throws SendFailure unless the mail server accepted it for at least one recipient. */
export async function sendMail(
  { mail, origin }: Pick<NoticeDeps, "mail" | "origin">,
  { id, to, message }: Mail,
): Promise<void> {
  if (mail.url === undefined) throw new SendFailure("This deployment has no mail server; set KIMITSU_SMTP_URL.", false);
  if (to.length === 0)
    throw new SendFailure("There is nobody to write to: nobody may decide this, or see to it.", false);
  const transport = openTransport(mail.url);
  try {
    await transport.sendMail({
      from: mail.from,
      to,
      subject: message.title,
      messageId: `<${id}@${new URL(origin).hostname}>`,
      text: toText(message, origin),
    });
  } catch (error) {
    const { responseCode = 0, message: text, code = "" } = error as Error & { responseCode?: number; code?: string };
    // 5xx is final in SMTP; a wrong password is final as well.
    throw new SendFailure(`The mail server did not take it: ${text}`, responseCode < 500 && code !== "EAUTH");
  } finally {
    transport.close();
  }
}

const toText = ({ lines, action, path }: Message, origin: string): string =>
  [...lines, "", `${action}: ${origin}${path}`, "", "Kimitsu"].join("\n");

/** Signs in, as before sending, and sends nothing. Throws the server's error. */
export async function verifyMailServer(url: string): Promise<void> {
  const transport = openTransport(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

const openTransport = (url: string) =>
  createTransport({
    url,
    connectionTimeout: NOTICE_TIMEOUT_MS,
    greetingTimeout: NOTICE_TIMEOUT_MS,
    socketTimeout: NOTICE_TIMEOUT_MS,
  });
