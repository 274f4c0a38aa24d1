import type { Message } from "@/lib/notices/rules/notice";
import type { NoticeDeps } from "@/lib/notices/notice-deps";
import { post } from "@/lib/notices/post";

/** Slack truncates longer text, or refuses the message. */
const TITLE_LENGTH_MAX = 150;
const TEXT_LENGTH_MAX = 3_000;

/** All text is plain: what looks like markup in the name of a tool is shown as it is written, and mentions nobody. */
export async function sendSlack(deps: NoticeDeps, url: string, { title, lines, path, action }: Message): Promise<void> {
  const plain = (text: string, length: number) => ({ type: "plain_text", text: text.slice(0, length), emoji: false });
  const blocks = [
    { type: "header", text: plain(title, TITLE_LENGTH_MAX) },
    ...(lines.length > 0 ? [{ type: "section", text: plain(lines.join("\n"), TEXT_LENGTH_MAX) }] : []),
    {
      type: "actions",
      elements: [{ type: "button", text: plain(action, TITLE_LENGTH_MAX), url: `${deps.origin}${path}` }],
    },
  ];
  await post(deps, url, JSON.stringify({ text: escape(title), blocks }));
}

/** The line that notifications show is markup; these three characters are all that Slack reads as such. */
const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
