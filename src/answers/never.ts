import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, normalize, resolve } from "node:path";
import { agents } from "../agents/registry.ts";
import { scopes } from "../core/agent-settings.ts";
import { isObject } from "../core/json-value.ts";
import { quietly } from "../core/quietly.ts";
import { homeDirectory } from "../files/paths.ts";
import { type Commands, splitCommands, type Word } from "./shell-words.ts";

/**
 * Built-in rules for requests that only the agent's own dialog may answer: a name, and a pattern that is compared with
 * the request's texts and paths. Each takes linear time: what it repeats cannot contain its own beginning.
 */
const rules: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["another user's rights", /(?:^|[^\w.-])(?:sudo\w*|su|doas|pkexec|run0|runuser|setpriv)(?=$|[^\w.-])/i],
  ["beckon itself", /\.beckon|beckon_|(?:^|[\s;&|()`$={,/])beckon(?:@\S*)?(?=$|[\s;&|)`},])/i],
  ["an agent's settings", new RegExp(`${agentPlaces().join("|")}|\\.mcp\\.json|hooks\\.json`, "i")],
  [
    "hooks of git",
    /\.git[/\\](?:hooks|config)|(?:^|[\s"'=(/\\])\.git[/\\]?(?=$|[\s"';&|)])|\.gitconfig|\.config[/\\]git|hookspath|\.husky/i,
  ],
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
    /\.ssh\b|\.gnupg|\bid_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|\.netrc|_netrc|credentials|\.aws\b|\.azure\b|\.kube\b|\.docker[/\\]config|\.config[/\\](?:gcloud|gh|op)\b|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.vault-token|\.terraformrc|\.(?:bash|zsh|python|psql|mysql|node_repl)_history\b|\.password-store|keyrings?\b|keychain|\.(?:pem|p12|pfx|kdbx)\b|(?<!(?:^|[^\w./-])(?:e|event|item|entry|props|this))\.key\b|(?<!(?:^|[^\w./-])(?:process|import\.meta))\.env(?:rc)?\b|\/etc[/\\](?:shadow|passwd|sudoers|ssh)|\/proc\/(?:(?!\/proc\/)\S)*\/(?:environ|mem)/i,
  ],
];
/** Matches names of hidden files by a pattern, such as `.e*`, which the shell replaces by names. */
const hiddenFiles = /(?:^|[\s/\\"'=])\.[^\s/\\.]*[*?[{$`]/;

/** Lists the places that agents load settings and code from, on all platforms, as patterns. */
function agentPlaces(): string[] {
  const platforms = ["linux", "darwin", "win32"] as const;
  const found = platforms.flatMap((platform) =>
    agents.flatMap(({ settings }) => {
      const environment = { home: "/home", project: "/project", env: {}, platform };
      if (!settings) return [];
      const files = scopes.flatMap((scope) => settings.files(scope, environment));
      const others = [...(settings.servers?.(environment) ?? []), ...(settings.otherHookFiles?.(environment) ?? [])];
      return [settings.folder(environment), ...[...files, ...others].map(({ path }) => path)];
    }),
  );
  const inRoot = found.map((path) => path.replaceAll("\\", "/").replace(/^\/(?:home|project)\//, ""));
  // A folder's name covers what is in it; below `.config` and `.github`, the folder in that counts.
  const named = inRoot.map((path) => /^(?:\.(?:config|github)\/[^/]+|[^/]+)/.exec(path)?.[0] ?? path);
  return [...new Set(named)].map((path) => `${path.replace(/[.+]/g, "\\$&").replaceAll("/", "[/\\\\]")}\\b`);
}

interface Request {
  /** Input of the tool. */
  readonly input: unknown;
  /** Command line in it that a shell runs, if the tool is a shell. */
  readonly command?: string | undefined;
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
export function findNeverRule({ input, command, cwd, never }: Request): string | undefined {
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
  const pathLike = isLong
    ? []
    : [...words.filter((word) => /^[~.]|[/\\]/.test(word)), ...texts.filter((text) => !text.includes("\n"))];
  const paths = [...pathLike, cwd].flatMap((word) => listTargets(word, cwd));
  const isNamed = (pattern: RegExp) => [...texts, ...paths].some((text) => pattern.test(text));
  const builtIn = rules.find(([, pattern]) => isNamed(pattern));
  if (builtIn) return builtIn[0];
  if (isNamed(hiddenFiles) && !(command && isInScripts(command, cwd))) return "hidden files by a pattern";
  if (matchesOwn(never, texts, paths)) return "your own list";
  if (isLong) return tooLong;
  // A file's content is not judged as commands, whether `cat` or the agent's own tool writes it.
  return command === undefined ? undefined : judgeCommand(command.replace(writtenText, "$1$3"), cwd, never);
}

/** Matches a command that is only `cat > FILE <<'EOF'` and its text, in which shells replace nothing. */
const writtenText = /^(cat(?: >>? ?[\w./@+-]+)?) ?<< ?'(\w+)'((?: >>? ?[\w./@+-]+)?)\n(?:(?!\2\n).*\n)*\2\n?$/;

/** True if only quoted scripts look like hidden files, such as `sed 's/.*x//'`: no shell replaces these. */
function isInScripts(line: string, cwd: string): boolean {
  const isHidden = ([program]: readonly Word[], { text, isComputed }: Word) =>
    hiddenFiles.test(text) &&
    (isComputed || text.startsWith("-") || !/^(?:sed|jq|g?awk|[ef]?grep|rg|gh)$/.test(program?.text ?? ""));
  return splitCommands(line, cwd)?.some((words) => words.some((word) => isHidden(words, word))) === false;
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

/** Names of shells and of databases' programs, as parts of patterns. */
const names = {
  shell: "(?:ba|da|z|k|a|fi|c|tc|mk|rba|ya|po|elvi|rk|ok|pdk|lk|o)?sh(?:93)?|nu",
  database: "psql|mysql|mariadb|sqlite3",
} as const;
/** Programs that run a command among their arguments, also one that is quoted as a whole. */
const runners = new RegExp(
  `^(?:${names.shell}|busybox|env|ssh|su|watch|xargs|parallel|script|tmux|screen|trap|flock|time(?:out)?|nohup|nice|docker|podman|kubectl|nsenter|chroot|wsl|cmd|pwsh|powershell|find|fd|entr|make|just|npx|uv|poetry|pipenv|pdm|hatch|rye|conda|exec|command)(?:\\.exe)?$`,
);
/** Words that may stand before a command, besides programs: of the shell's grammar, and programs that only change how it runs. */
const prefixes =
  /^(?:if|then|elif|else|while|until|do|!|time|env|nohup|nice|ionice|stdbuf|setsid|command|builtin|exec|xargs|caffeinate|coproc|timeout|[sl]trace|chrt|taskset|unbuffer|chronic|fakeroot|valgrind|perf|sshpass)$/;
/** Built-in rules for commands, compared with each simple command in one line. */
const commandRules: typeof rules = [
  ["another user's rights", /(?:^|[\s/])(?:sudo|doas)-\S/i],
  ["beckon itself", /\bworker\.cjs|\bwait\.sh/i],
  ["settings of git", /(?:^|[\s/])git(?:\.exe)?\s.{0,200}\bconfig(?=$|\s)/i],
  [
    "a program's start",
    /(?:^|[\s/])(?:systemd-run|batch(?=$|\s)|at\s+(?:-|now|noon|midnight|teatime|tomorrow|\d))|\/etc\/(?:systemd|init)/i,
  ],
  [
    "keys and passwords",
    /(?:^|[\s/])(?:secret-tool|kwallet-query|pass\s+(?:show|-c|ls|\S+\/)|gh\s+auth|git\s+credential|op\s+(?:read|item)|bw\s+get|vault\s+(?:kv\s+get|read)|security\s+(?:find|dump|export))|--export-secret|export-credentials|get-secret-value|print-(?:access|identity)-token|\bget\s+secrets?\s.*\s(?:-o|--output)/i,
  ],
  [
    "what a program reads",
    /(?:^|[\s/])(?:g?awk|make|gdb|jq|vim?|deno|bun|uv|emacs)\s(?:.{0,200}\s)?(?:-[fxsSl]|run|--(?:script|load|file))\s*(?:-|\/dev\/(?:stdin|fd\/0))(?=$|\s)|(?:^|\s)\w*(?:env|startup|rc)=\/(?:dev|proc)\/\S*(?:stdin|fd\/0)(?=$|\s)/i,
  ],
  ["encoded code", /(?:^|[\s/])(?:pwsh|powershell)(?:\.exe)?\s(?:.{0,200}\s)?[-/]e(?:c|nc\w*)?\s/i],
];
const assignment = /^[A-Za-z_]\w*\+?=/;

/** Finds the rule that reserves a command line for the agent's own dialog; undefined if there is none. */
function judgeCommand(line: string, cwd: string, never: readonly string[]): string | undefined {
  const commands = splitCommands(line, cwd);
  if (!commands) return "its command cannot be read";
  const all = [...commands, ...listQuoted(commands, cwd)];
  const beginning = commands.flatMap(listArguments).flatMap((text) => splitCommands(text, cwd) ?? []);
  const lines = all.map((words) => words.map(({ text }) => text).join(" "));
  const builtIn = commandRules.find(([, pattern]) => lines.some((text) => pattern.test(text)));
  if (builtIn) return builtIn[0];
  if (all.some(computesProgram)) return "it computes what it runs";
  const globs = never.filter((glob) => !isPathGlob(glob));
  const isOwn = globs.some(
    (glob) =>
      all.some((words) => matchesCommand(glob, words)) || beginning.some((words) => matchesCommand(glob, words, true)),
  );
  if (isOwn) return "your own list";
  const paths = never.filter(isPathGlob);
  return paths.length === 0 ? undefined : judgePaths(paths, all, cwd);
}

/** True for a pattern of paths: one that begins with `/`, `~` or `$HOME`, or has a `/` and no space. */
function isPathGlob(glob: string): boolean {
  return /^(?:[~/]|\$HOME\/|\S+\/\S*$)/.test(glob);
}

/** Programs that search for a text or print it. */
const textPrograms = /^(?:[ef]?grep|rg|ag|ack|echo|printf|sed|awk|jq)$/;
/** Programs that pass the arguments of another program on as they are. */
const passers = /^(?:time(?:out)?|nohup|nice|env|xargs|find|fd|exec|command|docker|podman|kubectl|npx)$/;
/** Programs whose `-c` and `-e` take a query. */
const sqlPrograms = new RegExp(`^(?:${names.database})$`);
/** Options for a message, a name or a pattern; short ones mean something else to programs that run commands. */
const textOptions = {
  long: /^--(?:message|body|title|grep|name|notes|description|subject|test\S*)$/,
  short: /^-(?:\w*m|[tkgGbn])$/,
};

/** True for a command that searches for a text or prints it, also after a program that passes its arguments on. */
function handlesText(words: readonly Word[]): boolean {
  const at = words.findIndex(({ text }) => textPrograms.test(basename(text)));
  const before = words.slice(0, Math.max(at, 0));
  return (
    at === 0 ||
    (at > 0 && passers.test(basename(before[0]?.text ?? "")) && before.every(({ text }) => !/\s/.test(text)))
  );
}

/** Leaves out messages, names, templates such as `{{.Names}}`, and queries of databases, which no shell reads. */
function withoutTexts(words: readonly Word[]): readonly Word[] {
  const isRunner = words.some(({ text }) => runners.test(basename(text)) && text !== "npx");
  let reader = "";
  return words.filter(({ text }, at) => {
    const before = words[at - 1]?.text ?? "";
    const isNamed = textOptions.long.test(before) || (!isRunner && textOptions.short.test(before));
    const isQuery = /^-(?:c|e|-command|-execute)$/.test(before) && sqlPrograms.test(reader);
    const isTemplate = /^\{\{\.[\w .{}:,/-]*$/.test(text);
    if (readers.test(basename(text))) reader = text;
    return !isNamed && !isTemplate && !(isQuery && !/\\!|\.shell|system/.test(text));
  });
}

/** Lists the arguments of a program that may be command lines: with white space, and neither a message nor a pattern. */
function listArguments(words: readonly Word[]): string[] {
  if (handlesText(words)) return [];
  return withoutTexts(words.slice(1)).flatMap((word) => (/\s/.test(word.text) ? listInner(word) : []));
}

/** Depth to which commands in quoted arguments are read. */
const maxDepth = 4;

/** Lists the commands in the quoted arguments of programs that run them, such as `sh -c 'terraform apply'`. */
function listQuoted(commands: Commands, cwd: string, depth = 1): Commands {
  const others = commands.filter((words) => !handlesText(words) && !isIdle(words));
  const running = others.filter((words) => words.some(({ text }) => runners.test(basename(text))));
  const assigned = others.flatMap((words) => words.filter(({ text }) => assignment.test(text)));
  const quoted = [...running.flatMap(withoutTexts), ...assigned].flatMap(listInner);
  if (quoted.length === 0) return [];
  if (depth > maxDepth) return [[computed]];
  const inner = quoted.flatMap((text) => splitCommands(text, cwd) ?? [[computed]]);
  return [...inner, ...listQuoted(inner, cwd, depth + 1)];
}

/** Commands of programs that run others in containers, which themselves run none. */
const idle =
  /^(?:kubectl (?:get|describe|logs|patch|top|wait)|(?:docker|podman)(?: compose)? (?:images|inspect|logs|ps|pull|push|restart|stop))(?: |$)/;
const isIdle = (words: readonly Word[]): boolean => idle.test(words.map(({ text }) => text).join(" "));
const computed: Word = { text: "", isComputed: true };

/** Lists the command lines that a word may contain: `apply x`, `-c'apply x'`, `--command='apply x'`, `PAGER='apply x'`. */
function listInner({ text, isComputed }: Word): string[] {
  if (!/\s/.test(text) && (isComputed || !/[$`;&|{<>]/.test(text))) return [];
  const [, value] = /^(?:--?[\w-]+=(?:\w+=)?|[\w.]+=)(.*)$/s.exec(text) ?? [];
  if (value !== undefined && isComputed && !text.startsWith("-")) return [];
  const whole = (value ?? text).replace(/^(?:[\\:]*!|\.shell|spawn)\s*/, "");
  return text.startsWith("-") && value === undefined ? [text, text.slice(2), text.slice(3)] : [whole];
}

const shells = new RegExp(`^(?:${names.shell})$`);
/** Programs that run what they read from standard input, unless they are given a file or a command. */
const readers = new RegExp(
  `^(?:${names.shell}|${names.database}|python[\\d.]*|node(?:js)?|deno|bun|perl|ruby|php|lua|mongosh|redis-cli|parallel|ssh|tsx|ts-node|Rscript|tclsh|pypy|pwsh|powershell|ipython|irb|osascript|nix-shell|expect|julia|iex|ghci|gdb|R|r?ed|ex|n?vim?|elixir|scala|groovysh|jshell|swift|guile|racket|bb|ocaml|raku|octave|gnuplot|m4|dc|lftp|duckdb|sqlplus|xonsh)[\\d.]*(?:\\.exe)?$`,
);
/** Programs among these that take the name of a database, a machine or a text, not of a file with commands. */
const databases = new RegExp(`^(?:${names.database}|mongosh|redis-cli|ssh|r?ed$|ex$|n?vim?$)`);

/** Programs that give their arguments, or the last of them, to a shell. */
const rereaders = /^(?:ssh|watch|su|script|tmux|screen|trap|parallel)$/;
/** Words right before a command. */
const takesCommand = /^(?:-(?:exec|ok)(?:dir)?|--exec|trap)$/;

/** True if only running a command decides which program that is, or what a program does. */
function computesProgram(command: readonly Word[]): boolean {
  const words = command.filter(({ isRedirected }) => !isRedirected);
  const isBefore = ({ text }: Word) => assignment.test(text) || prefixes.test(text) || /^(?:-|\d+[smhd]?$)/.test(text);
  const start = words.findIndex((word) => !isBefore(word));
  const program = words[start];
  if (!program || (words[0]?.text === "command" && /^-[vV]$/.test(words[1]?.text ?? ""))) return false;
  if (program.isComputed || /^(?:eval|alias|source|\.)$/.test(program.text)) return true;
  if (rereaders.test(basename(program.text)) && beginsComputed(words.at(-1))) return true;
  if (words.some(({ text }, at) => takesCommand.test(text) && beginsComputed(words[at + 1]))) return true;
  // A program that runs another one may have options with values before it.
  const isRunner = words.slice(0, start + 1).some(({ text }) => prefixes.test(text) || runners.test(basename(text)));
  return words.some(({ text }, at) => {
    if (at !== start && (!isRunner || at < start || isIdle(words))) return false;
    return readers.test(basename(text)) && readsProgram(basename(text), words.slice(at + 1));
  });
}

/** True if a shell or an interpreter gets its program from standard input, or from something that is computed. */
function readsProgram(name: string, words: readonly Word[]): boolean {
  const code = shells.test(name) ? /^[-+]\w*c$/ : /^-(?:\w*[ce]|r|f|-(?:eval|command|execute|file))(?:$|=)/;
  const at = words.findIndex(({ text }) => code.test(text));
  // `xargs bash -c` appends the code, and `pwsh -c -` reads it.
  if (at >= 0) return words[at + 1]?.text === "-" || (words[at + 1]?.isComputed ?? true);
  const texts = words.map(({ text }) => text);
  if (/^n?vim?$/.test(name) && !texts.some((text) => /^-[eE]s?$/.test(text))) return false; // waits for keys
  const isVerbose = shells.test(name) || /^(?:python|ssh)/.test(name); // with -v; -l is a login
  const informs = isVerbose ? /^-(?:-version|-help|V|[fnTqt]*N)$/ : /^-(?:-version|-help|-list|-check|-test|v|V|l)$/;
  if (texts.some((text) => informs.test(text))) return false;
  if (texts.some((text) => /^(?:-s|\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0)$/.test(normalize(text)))) return true;
  const valued = shells.test(name) ? /^[-+]\w*[oO]$/ : name === "ssh" ? /^-[BbcDEeFIiJLlmOopQRSWw]$/ : /^-[WX]$/;
  const operands = words.filter(({ text }, at) => !/^[-+]/.test(text) && !valued.test(texts[at - 1] ?? ""));
  const [given, query] = operands;
  const isQuery = name === "redis-cli" ? given : /^(?:sqlite3|ssh|mongosh)/.test(name) && query;
  return given === undefined || (databases.test(name) && !isQuery) || beginsComputed(given);
}

/** True for a word that begins with a variable or a substitution. */
function beginsComputed(word: Word | undefined): boolean {
  return word?.isComputed === true && /^[$`(]/.test(word.text);
}

/**
 * True if the words of a pattern occur in a command in this order, the first one as a program's name, with any options
 * between them. Without a `*` at the pattern's end, only options and redirections may follow.
 */
function matchesCommand(glob: string, words: readonly Word[], isAtStart = false): boolean {
  const [first = [""], ...others] = glob
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .map((word) => word.split(/\*+/));
  const wanted = others.filter((pieces) => pieces.join("") !== "");
  const isOpen = glob.trimEnd().endsWith("*");
  const names = words.filter(({ isRedirected }) => !isRedirected).map(({ text }) => text.toLowerCase());
  return names.some((name, index) => {
    if (isAtStart && index > 0) return false;
    if (![name, basename(name)].some((text) => matchesPieces(text, first))) return false;
    let at = index;
    const isMatch = wanted.every((pieces) => {
      at = names.findIndex(
        (other, position) => position > at && (matchesPieces(other, pieces) || hasFlags(other, pieces)),
      );
      return at >= 0;
    });
    return isMatch && (isOpen || names.slice(at + 1).every((other) => other.startsWith("-")));
  });
}

/** True if a word has all the short options of a pattern, such as `-fr` for `-rf`. */
function hasFlags(word: string, [flags = "", ...others]: readonly string[]): boolean {
  if (others.length > 0 || !/^-[a-z]{2,}$/.test(flags) || !/^-[a-z]+$/.test(word)) return false;
  return [...flags].every((flag) => word.includes(flag));
}

/** Maximum number of folders that a command may enter. */
const maxFolders = 20;

/**
 * Lists the folders that a command line may run in: the working folder, and each that it enters. Undefined if one is
 * computed.
 */
function listFolders(commands: Commands, cwd: string): readonly string[] | undefined {
  const folders = [cwd];
  for (const words of commands) {
    const entering = words.findIndex(({ text }) => /^(?:cd|pushd|popd)$/.test(text));
    const target = words.slice(entering + 1).find(({ text }) => !/^-[LPe@]+$/.test(text));
    if (entering >= 0 && target === undefined) folders.push(homeDirectory());
    if (entering >= 0 && (target?.isComputed || target?.text === "-")) return undefined;
    for (const [index, { text }] of words.entries()) {
      const before = words[index - 1]?.text ?? "";
      const [, option] = /^--?(?:C|chdir|cwd|directory|prefix|git-dir|work-tree)=?(.*)$/.exec(text) ?? [];
      const target = /^(?:cd|pushd|-C|--(?:chdir|cwd|directory|prefix))$/.test(before) ? text : option;
      if (target && folders.length < maxFolders)
        folders.push(...folders.map((folder) => resolve(folder, expand(target))));
    }
  }
  return [...new Set(folders)].slice(0, maxFolders);
}

function expand(path: string): string {
  return path.replace(/^~(?=\/|$)/, homeDirectory());
}

/** Parts of a word that a shell replaces by something else. */
const replaced = /\$\{[^}]*\}?|\$\w*|\[[^\]/]*\]?|\{[^}/]*\}?|[*?]+/g;

/** Maximum number of paths that are compared with the user's list, and of the folders in one path. */
const pathLimits = { paths: 2_000, parts: 64 } as const;

/** Words that name a place that only a shell knows, such as `$x/a`, `~+/a` and `cd -`. */
const unknownPlace = /^(?:[$`(]|\{[^}]*[/~.]|~[+\-\d])|^\/proc\/[^/]*\/(?:cwd|root)\b/;

/** Finds the reason why the user's list of paths reserves a command line; undefined if there is none. */
function judgePaths(globs: readonly string[], commands: Commands, cwd: string): string | undefined {
  const folders = listFolders(commands, cwd);
  const isUnknown = (words: readonly Word[]): boolean =>
    !/^(?:echo|printf)$/.test(words[0]?.text ?? "") &&
    words.some(
      ({ text }, at) =>
        unknownPlace.test(text) && !/^(?:-\w*m|--(?:message|body|title))$/.test(words[at - 1]?.text ?? ""),
    );
  if (!folders || commands.some(isUnknown)) return "its paths are computed";
  const words = commands.flat().flatMap(({ text }) => {
    const parts = [text, ...text.split(/[=:,@]/)];
    const attached = text.slice(2);
    return /^-[A-Za-z]\S*(?:[/~]|\.\.)/.test(text) ? [...parts, attached, ...attached.split(/[=:,@]/)] : parts;
  });
  const named = [...new Set(words)].filter((text) => text !== "" && !text.startsWith("-"));
  if (named.length * folders.length > pathLimits.paths) return tooLong;
  const places: Place[] = [];
  for (const word of named) {
    const [known = "", part] = /^((?:[^*]*\/)?)([^/]*\*[^/]*)/.exec(word.replace(replaced, "*"))?.slice(1) ?? [word];
    for (const folder of folders) {
      if (resolve(folder, known).split("/").length > pathLimits.parts) return tooLong;
      places.push(...listTargets(known, folder).map((target) => ({ path: target.toLowerCase(), part })));
    }
  }
  return globs.some((glob) => matchesPath(glob, places, folders)) ? "your own list" : undefined;
}

/** Path in a command: absolute or with `~`, in lower case, up to its first part with a pattern, if any. */
interface Place {
  readonly path: string;
  readonly part: string | undefined;
}

/** True if a pattern matches a place or a folder around it, or if the place leads to what the pattern matches. */
function matchesPath(glob: string, places: readonly Place[], folders: readonly string[]): boolean {
  const home = homeDirectory();
  const absolute = expand(glob.replace(/^\$HOME(?=\/|$)/, "~"));
  const wanted = /^[~/]/.test(absolute) ? [absolute] : folders.map((folder) => join(folder, absolute));
  return wanted.some((pattern) => {
    const pieces = pattern.toLowerCase().split(/\*+/);
    const inner = pattern.endsWith("*") ? pieces : [...`${pattern}/`.toLowerCase().split(/\*+/), ""];
    const base = pattern
      .replace(/[^/]*\*.*$/, "")
      .replace(/(?<=.)\/+$/, "")
      .toLowerCase();
    return places.some(({ path: shown, part }) => {
      const path = shown.replace(/^~(?=\/|$)/, home.toLowerCase());
      const inside = `${base}/`.startsWith(`${path}/`);
      // Of a pattern, the first part that contains one decides.
      const next = base.slice(path.length).split("/")[1] ?? "";
      const leads = inside && (part === undefined || matchesPieces(next, part.toLowerCase().split("*")));
      return leads || [path, `${path}/`].some((each) => matchesPieces(each, pieces) || matchesPieces(each, inner));
    });
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
