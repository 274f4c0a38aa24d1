/** The Chromium for the browser tests: a given one, Playwright's own, the system's, or the one among the packages. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PlainError } from "../plain-error.mjs";
import { ROOT, setting } from "../runtime.mjs";

const SYSTEM_BROWSERS = {
  linux: [
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/snap/bin/chromium",
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
  win32: [
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
  ],
};

/** Meant for small cloud functions: they weaken the browser or make it unlike the ones people use. */
const UNWANTED_FLAGS =
  /^--(user-agent|window-size|headless|single-process|no-zygote|disable-web-security|allow-running-insecure-content|enable-features|disable-features|disable-site-isolation-trials)/;

/**
 * Meant for pages that draw with WebGL. Here they would emulate a graphics card on the processor for every page, at
 * twice the cost of plain drawing.
 */
const GRAPHICS_FLAGS = /^--(ignore-gpu-blocklist|in-process-gpu|use-gl|use-angle|enable-unsafe-swiftshader)/;

/**
 * The packaged Chromium ends at once ("Not implemented", from its font code) when a page asks the new font service for
 * a local font, as fallback faces do. A second list of features replaces Playwright's own, so the relevant part of that
 * is repeated.
 */
const FEATURES_OFF =
  "--disable-features=FontDataServiceLinux,FontDataServiceForCSSLocalFonts,FontDataManagerPrewarming,HttpsUpgrades,PaintHolding,MediaRouter,OptimizationHints,ThirdPartyStoragePartitioning,DestroyProfileOnBrowserClose";

/**
 * `{ source, executablePath, args, env }` for Playwright's launch options; without a path, Playwright takes its own.
 */
export async function findBrowser() {
  const given = setting("KIMITSU_BROWSER");
  if (given && !existsSync(given)) throw new PlainError(`KIMITSU_BROWSER names ${given}, which does not exist.`);
  if (given) return { source: "KIMITSU_BROWSER", executablePath: given, args: sandboxArgs() };
  const { chromium } = await import("@playwright/test");
  if (existsSync(chromium.executablePath())) return { source: "Playwright's own" };
  const system = (SYSTEM_BROWSERS[process.platform] ?? []).find((file) => existsSync(file));
  if (system) return { source: "the system's", executablePath: system, args: sandboxArgs() };
  if (process.platform === "linux" && process.arch === "x64") return packagedBrowser();
  throw new PlainError(
    "There is no Chromium to test with. Run `npx playwright install chromium`, or set KIMITSU_BROWSER to the path of a Chrome or Chromium.",
  );
}

/** Chromium refuses its sandbox to root. */
const sandboxArgs = () => (process.getuid?.() === 0 ? ["--no-sandbox"] : []);

/**
 * It unpacks itself into the temp folder under a name without its version, so each version gets a temp folder of its
 * own. The libraries and fonts that a bare system lacks are unpacked only where it detects Lambda.
 */
async function packagedBrowser() {
  const { version } = JSON.parse(
    readFileSync(path.join(ROOT, "node_modules/@sparticuz/chromium/package.json"), "utf8"),
  );
  const folder = path.join(ROOT, "node_modules/.cache/kimitsu-browser", `chromium-${version}`);
  mkdirSync(folder, { recursive: true });
  const before = { ...process.env };
  try {
    Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" });
    const { default: chromium } = await import("@sparticuz/chromium");
    const executablePath = await chromium.executablePath();
    const { LD_LIBRARY_PATH } = process.env;
    const FONTCONFIG_PATH = configureFonts(folder);
    const args = [
      ...chromium.args.filter((flag) => !UNWANTED_FLAGS.test(flag) && !GRAPHICS_FLAGS.test(flag)),
      "--disable-gpu",
      FEATURES_OFF,
    ];
    return {
      source: "the package @sparticuz/chromium",
      executablePath,
      args,
      env: { LD_LIBRARY_PATH, FONTCONFIG_PATH },
    };
  } finally {
    for (const name of ["TMPDIR", "AWS_EXECUTION_ENV", "LD_LIBRARY_PATH", "FONTCONFIG_PATH"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/**
 * The package's own settings name the fonts' place on Lambda only; a Chromium that finds no font at all crashes on most
 * pages.
 */
function configureFonts(folder) {
  const own = path.join(folder, "font-settings");
  mkdirSync(own, { recursive: true });
  const dirs = [path.join(folder, "fonts"), "/usr/share/fonts"].map((dir) => `<dir>${escapeXml(dir)}</dir>`).join("");
  const cache = `<cachedir>${escapeXml(path.join(own, "cache"))}</cachedir>`;
  writeFileSync(
    path.join(own, "fonts.conf"),
    `<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>${dirs}${cache}</fontconfig>\n`,
  );
  return own;
}

const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
