import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { agents } from "../agents/registry.ts";
import { isObject } from "../core/json-value.ts";
import { quietly } from "../core/quietly.ts";
import { homeDirectory } from "../files/paths.ts";

/**
 * Built-in rules for requests that only the agent's own dialog may answer: a name, and a pattern that is compared with
 * the request's texts and paths. Each takes linear time: what it repeats cannot contain its own beginning.
 */
const rules: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["another user's rights", /(?:^|[^\w.-])(?:sudo\w*|su|doas|pkexec|run0|runuser|setpriv)(?=$|[^\w.-])/i],
  ["beckon itself", /\.beckon|beckon_|(?:^|[\s;&|()`$={,/])beckon(?:@\S*)?(?=$|[\s;&|)`},])/i],
  ["an agent's settings", new RegExp(`${agentFolders().join("|")}|\\.mcp\\.json|hooks\\.json`, "i")],
  ["hooks of git", /\.git[/\\](?:hooks|config)|\.gitconfig|\.config[/\\]git|hookspath|\.husky/i],
  [
    "a file that a shell reads at its start",
    /\.(?:bash|zsh|ksh|csh|tcsh|mksh|yash)[\w-]*(?:rc|env|profile|login|logout|aliases)\b|\.(?:profile|login|zprofile|zlogin|zshenv|inputrc|pam_environment|x(?:profile|initrc|session\w*))\b|\.config[/\\](?:fish|environment\.d|nushell)|\/etc[/\\](?:profile|bash|zsh|environment|ld\.so|pam)/i,
  ],
  [
    "a program's start",
    /\.config[/\\](?:autostart|systemd)|launch(?:agents|daemons)|systemctl|crontab|\/etc[/\\]cron|\bat\s+now\b/i,
  ],
  [
    "keys and passwords",
    /\.ssh\b|\.gnupg|\bid_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|\.netrc|_netrc|credentials|\.aws\b|\.azure\b|\.kube\b|\.docker[/\\]config|\.config[/\\](?:gcloud|gh|op)\b|\.npmrc|\.pypirc|\.password-store|keyrings?\b|keychain|\.(?:pem|p12|pfx|key|kdbx)\b|\.env(?:rc)?\b|\/etc[/\\](?:shadow|passwd|sudoers|ssh)|\/proc\/(?:(?!\/proc\/)\S)*\/(?:environ|mem)/i,
  ],
  ["hidden files by a pattern", /(?:^|[\s/\\"'=])\.[^\s/\\.]*[*?[{]/],
];

/** Lists the names of agents' settings folders, such as `.claude`, as patterns. */
function agentFolders(): string[] {
  const environment = { home: "/", project: "/", env: {}, platform: process.platform } as const;
  const names = agents.flatMap(({ settings }) => (settings ? [basename(settings.folder(environment))] : []));
  return [...new Set(names)].filter((name) => name.startsWith(".")).map((name) => `\\${name}\\b`);
}

interface Request {
  /** Input of the tool. */
  readonly input: unknown;
  readonly cwd: string;
  /** User's own patterns, such as `terraform *` or `~/work/**`. */
  readonly never: readonly string[];
}

/** Maximum length of a request's texts, in UTF-16 units, and number of its words, in all spellings. */
const limits = { chars: 16_000, words: 2_000 } as const;

/** Result for a request that is too long to be compared with all rules, and so must not be allowed. */
export const tooLong = "it is too long";

/**
 * Finds the rule that reserves a request for the agent's own dialog; undefined if there is none. Checks every text of
 * the input, with and without quotes and backslashes, and every path, with and without following its links. Checks only
 * the beginning of a longer request, without paths; unless a rule matches, returns `tooLong`.
 */
export function findNeverRule({ input, cwd, never }: Request): string | undefined {
  const whole = [...listTexts(input)];
  let chars = 0;
  const first = whole.flatMap((text) => {
    const left = limits.chars - chars;
    chars += text.length + 1;
    return left > 0 ? [text.slice(0, left)] : [];
  });
  const texts = [...new Set(first.flatMap(spellings))];
  const words = texts.flatMap((text) => text.split(/[\s"'`;&|()<>=,]+/)).filter((word) => word !== "");
  const isLong = chars > limits.chars || Math.max(words.length, texts.length) > limits.words;
  const pathLike = isLong ? [] : [...words.filter(isPathLike), ...texts.filter((text) => !text.includes("\n"))];
  const paths = [...pathLike, cwd].flatMap((word) => listTargets(word, cwd));
  const builtIn = rules.find(([, pattern]) => [...texts, ...paths].some((text) => pattern.test(text)));
  if (builtIn) return builtIn[0];
  if (matchesOwn(never, texts, paths)) return "your own list";
  return isLong ? tooLong : undefined;
}

function* listTexts(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* listTexts(item);
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      yield name;
      yield* listTexts(member);
    }
  }
}

/**
 * Returns the forms of a text to check: unchanged, with `~` for `$HOME`, as a shell reads it (without quotes,
 * backslashes and line continuations), and with percent-encoding decoded.
 */
function spellings(text: string): string[] {
  const home = text.replaceAll(/\$\{?HOME\}?/g, "~");
  const plain = home.replaceAll(/\\\n/g, "").replaceAll(/\$?["'\\]/g, "");
  const decoded = quietly(() => decodeURIComponent(text)) ?? text;
  return [...new Set([text, home, plain, decoded])];
}

function isPathLike(word: string): boolean {
  return /^[~.]|[/\\]/.test(word);
}

/**
 * Returns the forms of a path to check: absolute, and with its links followed, each also with `~` for the home folder.
 */
function listTargets(word: string, cwd: string): string[] {
  const home = homeDirectory();
  const path = resolve(cwd, word.replace(/^file:\/\//, "").replace(/^~(?=\/|$)/, home));
  const target = quietly(() => findTarget(path)) ?? path;
  return [...new Set([path, target])].flatMap((each) => [each, each.replace(home, "~")]);
}

/** Maximum number of dangling links to follow. */
const maxLinks = 20;

/** Follows the links in a path, even if the file at the end does not exist. */
function findTarget(path: string, linksLeft = maxLinks): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() && linksLeft > 0 && !existsSync(path))
    return findTarget(resolve(findTarget(dirname(path)), readlinkSync(path)), linksLeft - 1);
  if (stats) return realpathSync(path);
  const folder = dirname(path);
  return folder === path ? path : join(findTarget(folder, linksLeft), basename(path));
}

/** True if a pattern of `answers.never` matches a path, a whole command line, or a command in it. */
function matchesOwn(never: readonly string[], texts: readonly string[], paths: readonly string[]): boolean {
  const split = texts.flatMap((text) => [text, ...text.split(/[\n;&|()`{}]+/)]).map((command) => command.trim());
  const [commands, folders] = [
    split.flatMap((command) => [command, `${command} `]),
    paths.flatMap((path) => [path, `${path}/`]),
  ].map((each) => each.map((text) => text.toLowerCase())) as [string[], string[]];
  return never.some((glob) => {
    const pieces = glob.toLowerCase().split(/\*+/);
    return (/^[~/]/.test(glob) ? folders : commands).some((text) => matchesPieces(text, pieces));
  });
}

/** True if a text consists of the pieces, in this order, with anything between them. Takes linear time. */
function matchesPieces(text: string, [first = "", ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  let at = text.startsWith(first) ? first.length : -1;
  for (const piece of rest) {
    const found = at < 0 ? -1 : text.indexOf(piece, at);
    at = found < 0 ? -1 : found + piece.length;
  }
  return at >= 0 && text.length - last.length >= at && text.endsWith(last);
}
