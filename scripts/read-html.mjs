/**
 * Runs in a thread of its own, with limits of time and memory: reads a page of a stranger and gives back its title, its
 * links and, if asked for, its text as Markdown. The page is first reduced to what is read, and made shallow, because the
 * converter needs time that grows with the square of the depth.
 */
import { parentPort, workerData } from "node:worker_threads";
import { Parser } from "htmlparser2";
import TurndownService from "turndown";

const DEPTH_MAX = 60;
const ELEMENTS_MAX = 20_000;
const LINKS_MAX = 1_000;
const LINK_TEXT_MAX = 200;

/** Neither they nor anything in them is text of the page. */
const DROPPED = new Set(
  "script style noscript template svg math iframe object embed canvas video audio form select button nav".split(" "),
);
const KEPT = new Set(
  "h1 h2 h3 h4 h5 h6 p br hr ul ol li blockquote pre code em strong b i a div section article table tr td th".split(
    " ",
  ),
);

function read({ html, url, isMarkdown }) {
  const page = { title: "", links: [], isCut: false, base: url };
  const out = [];
  /** Names of open elements that were written. */
  const open = [];
  let elements = 0;
  let dropped = 0;
  let isTitle = false;
  let link = null;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        elements += 1;
        if (elements > ELEMENTS_MAX) page.isCut = true;
        if (DROPPED.has(name)) dropped += 1;
        if (name === "title") isTitle = true;
        if (name === "base" && attributes.href) page.base = URL.parse(attributes.href, url)?.href ?? page.base;
        if (name === "a" || name === "area") link = addLink(page, attributes.href);
        if (!isMarkdown || dropped > 0 || page.isCut || !KEPT.has(name)) return;
        const isDeep = open.length >= DEPTH_MAX;
        open.push({ name, isDeep });
        if (!isDeep) out.push(name === "a" && link ? `<a href="${escape(link.url)}">` : `<${name}>`);
      },
      ontext(text) {
        if (isTitle && page.title.length < 500) page.title += text;
        if (link && link.text.length < LINK_TEXT_MAX) link.text += text;
        if (isMarkdown && dropped === 0 && !isTitle && !page.isCut) out.push(escape(text));
      },
      onclosetag(name) {
        if (DROPPED.has(name)) dropped = Math.max(0, dropped - 1);
        if (name === "title") isTitle = false;
        if (name === "a") link = null;
        if (open.at(-1)?.name !== name || dropped > 0) return;
        if (!open.pop().isDeep && name !== "br" && name !== "hr") out.push(`</${name}>`);
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  const markdown = isMarkdown ? toMarkdown(out.join("")) : "";
  const links = page.links.map((each) => ({ url: each.url, text: each.text.replaceAll(/\s+/g, " ").trim() }));
  return { title: page.title.replaceAll(/\s+/g, " ").trim(), links, markdown, isCut: page.isCut };
}

function addLink(page, href) {
  const target = typeof href === "string" ? URL.parse(href, page.base) : null;
  if (!target || !/^https?:$/.test(target.protocol)) return null;
  const known = page.links.find((each) => each.url === target.href);
  if (known) return { url: target.href, text: "" };
  if (page.links.length >= LINKS_MAX) {
    page.isCut = true;
    return null;
  }
  const link = { url: target.href, text: "" };
  page.links.push(link);
  return link;
}

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text) => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]);

function toMarkdown(html) {
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  return turndown.turndown(`<body>${html}</body>`);
}

parentPort.postMessage(read(workerData), []);
