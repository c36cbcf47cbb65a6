import { buildEntry } from "../../src/installer/editors/editor.ts";
import { commandFor, type Specimen } from "./settings-specimens.ts";

/** An entry in a settings file's own form. */
interface Entry {
  readonly command: string;
  readonly timeout?: number;
  readonly matcher?: string;
}

/** Makes the text of a settings file with these hooks for the first event, in the specimen's shape. */
export function contentWith(specimen: Specimen, entries: readonly Entry[]): string {
  const [event = ""] = specimen.wanted.keys();
  if (specimen.shape === "tables") return entries.map((entry) => table(event, entry)).join("\n");
  const list = entries.map((entry) => element(specimen, entry)).join(",\n      ");
  return jsonWith(specimen, `{\n    "${event}": [\n      ${list}\n    ]\n  }`);
}

function table(event: string, { command, timeout, matcher }: Entry): string {
  const lines = [
    `event = '${event}'`,
    ...(matcher === undefined ? [] : [`matcher = "${matcher}"`]),
    `command = ${JSON.stringify(command)} # kept`,
    ...(timeout === undefined ? [] : [`timeout = ${timeout}`]),
  ];
  return `[[hooks]]\n${lines.join("\n")}\n`;
}

function element({ shape, form }: Specimen, { command, timeout, matcher }: Entry): string {
  const { [form.timeout ?? "timeout"]: _, ...entry } = buildEntry({ command, timeout: 0, leastTimeout: 0, form });
  const timed = timeout === undefined ? entry : { ...entry, [form.timeout ?? "timeout"]: timeout };
  const matched = matcher === undefined ? {} : { matcher };
  const isGroup = shape !== "flat" && shape !== "named";
  return JSON.stringify(isGroup ? { ...matched, hooks: [timed] } : { ...timed, ...matched });
}

/** Makes a file with a map of events if the shape has one, after a version if the shape needs one. */
function jsonWith({ shape }: Specimen, map: string): string {
  if (shape === "bare") return map;
  return `{${shape === "flat" ? '\n  "version": 1,' : ""}\n  "${shape === "named" ? "beckon" : "hooks"}": ${map}\n}`;
}

/** Returns the contents that an uninstall restores byte for byte, by name. */
export function keptContents(specimen: Specimen): [string, string | undefined][] {
  const echo = { command: "echo ~/.beckon/hook Stop --agent x || :" };
  const otherHooks = [{ command: "say done", timeout: 9, matcher: "*" }, echo];
  const hooked = contentWith(specimen, otherHooks);
  const common: [string, string | undefined][] = [
    ["absent", undefined],
    ["empty", ""],
    ["white space", " \n\t\n"],
    ["other hooks in the same event", hooked],
    ["other hooks and CRLF", hooked.replaceAll("\n", "\r\n")],
    ["other hooks and no final newline", hooked.trimEnd()],
  ];
  if (specimen.shape === "tables") {
    return [
      ...common,
      ["an empty array", "hooks = []\n"],
      ["comments everywhere", `# a\nb = 1 # c\n\n# d\n${hooked}# e\n\n[x] # f\ny = [ # g\n1,]\n# h`],
      ["tabs", "\ta = 1\n\t[b]\n\t\tc = 1\n"],
      ["a byte-order mark", "\ufeffa = 1\n"],
      ...(specimen.isModel
        ? [["almost 1 MiB", `a = """${"ü\n".repeat(30_000)}"""\n${"# ü\n".repeat(190_000)}`] as [string, string]]
        : []),
    ];
  }
  const [event = ""] = specimen.wanted.keys();
  const [first = "", second = ""] = otherHooks.map((entry) => element(specimen, entry));
  const commented = `{ // b\n "${event}": [ /* c */\n ${first} // d\n , /* e */ ${second} ] // f\n }`;
  return [
    ...common,
    ["{} on one line", "{}"],
    ["an object over two lines", "{\n}\n"],
    ["one line", '{"a":[1,2],"b":{}}'],
    ["an empty event", jsonWith(specimen, `{ "${event}": [] }`)],
    ["comments everywhere", `// a\n${jsonWith(specimen, commented)} // g`],
    ["trailing commas", jsonWith(specimen, `{\n "${event}": [\n ${first},\n ${second},\n ],\n }`)],
    ["tabs", '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'],
    ["CRLF", '{\r\n  "a": 1\r\n}\r\n'],
    ["a byte-order mark", '\ufeff{ "a": 1 }'],
    ...(specimen.isModel ? [["almost 5 MiB", `{ "a": "${"ü".repeat(2_610_000)}" }`] as [string, string]] : []),
  ];
}

type Refused = [name: string, content: string | Buffer, code: string, words: string];

const tooLarge = Buffer.alloc(5 * 1024 * 1024 + 1, " ");

/** Returns the contents that are refused, by name, with the error's code and words that name the position. */
export function refusedContents(specimen: Specimen): Refused[] {
  const size: Refused = ["more than 5 MiB", tooLarge, "settings.size", "larger than 5 MiB"];
  const common: Refused[] = [
    ...(specimen.isModel ? [size] : []),
    ["UTF-16", Buffer.from('\ufeff{ "a": 1 }', "utf16le"), "settings.encoding", "not UTF-8"],
  ];
  if (specimen.shape === "tables") {
    return [
      ...common,
      ["broken", 'a = 1\nb = "x\n', "settings.toml", "line 2, column"],
      ["hooks of a wrong type", "a = 1\nhooks = 'x'\n", "settings.shape", "`hooks` at line 2, column 1"],
      ["an entry of a wrong type", "hooks = [3]\n", "settings.shape", "`hooks[0]` at line 1, column 1"],
    ];
  }
  const member = specimen.shape === "named" ? "beckon" : "hooks";
  const at = specimen.shape === "bare" ? "" : `${member}.`;
  const position = `\`${member}\` at line 1, column ${member.length + 7} must be`;
  const wrongHooks = `{ "${member}": [] }`;
  const hooksOfWrongType: Refused = ["hooks of a wrong type", wrongHooks, "settings.shape", position];
  return [
    ...common,
    ["broken", '{\n  "a": 1,\n  oops\n}', "settings.json", "line 3, column 3"],
    ["not an object", "[1]", "settings.shape", "the file holds an array"],
    ...(at ? [hooksOfWrongType] : []),
    ["an event of a wrong type", jsonWith(specimen, '{ "Stop": {} }'), "settings.shape", `\`${at}Stop\` at line`],
    ["an entry of a wrong type", jsonWith(specimen, '{ "Stop": [3] }'), "settings.shape", `\`${at}Stop[0]\` at line`],
  ];
}

/** Makes a file with beckon's entries as changed by earlier versions, by another agent's import and by the user. */
export function olderContent(specimen: Specimen): string {
  const [event = ""] = specimen.wanted.keys();
  const ours = commandFor(specimen.name, event);
  return contentWith(specimen, [
    { command: "say first" },
    { command: ours.replace(" || :", " --wait 3 || :"), timeout: 42, matcher: "mine" },
    { command: "say second", matcher: "theirs" },
    { command: ours.replace(/--agent \S+ \|\| :$/, "--agent claude"), timeout: 7 },
    { command: ours },
  ]);
}
