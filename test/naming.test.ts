import { expect, test } from "vitest";
import { agents as agentRegistry } from "../src/agents/registry.ts";
import { notifierLoaders } from "../src/notifiers/registry.ts";
import { type Source, sources } from "./world/sources.ts";

const longestFile = 500;
const longestClass = 250;
const longestEntrypoint = 10;

/** Agents by every spelling; `cursor` counts as a separate word in files that page lists, `cli` as a whole text. */
const agents: readonly RegExp[] = agentRegistry.map(({ name }) => {
  if (name === "cli") return /--agent cli\b|\bagent\b.{0,5}["'`]cli["'`]/;
  return name === "cursor" ? /--agent cursor|\bCursor\b/ : new RegExp(`\\b${name}\\b`, "i");
});

/** Words that are names of notifiers and ordinary words. They count only as the type of a notifier. */
const ordinaryWords = "command desktop email file module relay sound speech terminal webhook".split(" ");
const notifiers: readonly RegExp[] = Object.keys(notifierLoaders).map(
  (name) => new RegExp(`${ordinaryWords.includes(name) ? "(type: |\\.name === )" : ""}["'\`]${name}["'\`]`),
);

/** Files that may name an agent or a notifier, with reasons. */
const reasonedNamings: Readonly<Record<string, string>> = {
  "src/config/defaults.ts": "what rings without a configuration",
  "src/cli/commands/relay/hand-over-setup.ts": "the entry that it adds",
  "src/installer/editors/editor.ts": "the `type` that agents want in a hook entry",
  "src/hook/neutral-replies.ts": "generated from the agents: the hot path cannot load them",
};

/**
 * Lists `file: line` for every line of code, except comments, that has one of these names outside the folder `room`.
 */
function findNames(names: readonly RegExp[], files: readonly Source[], room: string): string[] {
  return files
    .filter(({ file }) => !file.startsWith(room) && reasonedNamings[file] === undefined)
    .flatMap(({ file, text }) =>
      text
        .replace(/\/\*[\s\S]*?\*\//g, "") // comments are prose
        .replace(/(^|\s)\/\/.*$/gm, "")
        .split("\n")
        .filter((line) => names.some((name) => name.test(line)))
        .map((line) => `${file}: ${line.trim()}`),
    );
}

test("the source has short files", () => {
  const most = ({ file }: Source) => (file.startsWith("hooks/") ? longestEntrypoint : longestFile);
  const long = sources.filter((source) => source.text.trimEnd().split("\n").length > most(source));
  expect(long.map(({ file }) => file)).toEqual([]);
});

test("the source has short classes", () => {
  const classes = (text: string) => text.match(/^(?:export )?(?:abstract )?class .*?^}/gms) ?? [];
  const long = sources.filter(({ text }) => classes(text).some((each) => each.split("\n").length > longestClass));
  expect(long.map(({ file }) => file)).toEqual([]);
});

test("the source exports by name", () => {
  const byDefault = /^export default|^export \{[^}]*\bas default\b/m;
  expect(sources.filter(({ text }) => byDefault.test(text)).map(({ file }) => file)).toEqual([]);
});

test("the source names agents only in agents/", () => {
  expect(findNames(agents, sources, "src/agents/")).toEqual([]);
});

test("the source names notifiers only in notifiers/", () => {
  expect(findNames(notifiers, sources, "src/notifiers/")).toEqual([]);
});

test.each([
  ["an agent", agents, "src/agents/", 'const once = ["Gemini"];'],
  ["an agent's flag", agents, "src/agents/", 'run("--agent cursor");'],
  ["a notifier", notifiers, "src/notifiers/", 'const chats = ["slack"];'],
  ["a kind of notifier", notifiers, "src/notifiers/", 'if (notifier.name === "sound") return;'],
] as const)("this test finds %s that is named elsewhere", (_, names, room, line) => {
  const text = `// Slack and Codex may be named in a comment\n${line}`;
  expect(findNames(names, [{ file: "src/pipeline/new.ts", text }], room)).toHaveLength(1);
});
