import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SettingsShape } from "../../src/core/agent-settings.ts";
import { SettingsError } from "../../src/core/errors.ts";
import { createBeckonCommands, serverWords } from "../../src/installer/beckon-commands.ts";
import { joinWords, serverName } from "../../src/installer/editors/server-editors.ts";
import { type InstallPlanRequest, planInstall, planUninstall } from "../../src/installer/plan-file.ts";
import { makePlanRequest, makeRecord } from "../world/settings-tasks.ts";

const roots = [{ launcher: "/home/u/.beckon/hook", app: "/home/u/.beckon/app" }];
const [root = { app: "" }] = roots;
const words = ["/usr/bin/node", ...serverWords(root)];
const command = joinWords(words);

function makeRequest(shape: SettingsShape, text: string | undefined, wordsToWrite = words): InstallPlanRequest {
  const entry = { command: joinWords(wordsToWrite), words: wordsToWrite, timeout: 0, leastTimeout: 0 };
  const beckonCommands = createBeckonCommands({ commands: [], roots });
  const wanted = new Map([[serverName, entry]]);
  return makePlanRequest(text, { file: { path: "/home/u/settings", shape }, beckonCommands, wanted });
}

const install = (shape: SettingsShape, text: string | undefined, wordsToWrite = words) =>
  planInstall(makeRequest(shape, text, wordsToWrite));
const write = (shape: SettingsShape, text: string | undefined, wordsToWrite = words) =>
  install(shape, text, wordsToWrite).after?.toString() ?? "";
/** Removes the server without a record, so that the text itself is edited. */
const remove = (shape: SettingsShape, text: string) => {
  const { after } = planUninstall(makeRequest(shape, text));
  return after?.toString();
};
/** Removes the server with the record of its install. */
const restore = (shape: SettingsShape, text: string | undefined, change = (written: string) => written) => {
  const plan = install(shape, text);
  const record = makeRecord(plan, { [serverName]: { command, timeout: 0 } });
  const before = Buffer.from(change(plan.after?.toString() ?? ""));
  return planUninstall({ ...makeRequest(shape, undefined), before, record }).after?.toString();
};

const json = { servers: "mcpServers", "local-servers": "mcp" } as const;
const cli = JSON.stringify(words[1]);
const jsonServer = {
  servers: `{ "type": "stdio", "command": "/usr/bin/node", "args": [${cli}, "mcp"] }`,
  "local-servers": `{ "type": "local", "command": ["/usr/bin/node", ${cli}, "mcp"], "enabled": true }`,
};
const shapes = ["servers", "local-servers"] as const;

describe.each(shapes)("JSON of shape %s", (shape) => {
  const map = json[shape];
  const texts = [
    "{}",
    "{}\n",
    '{\n  "a": 1\n}\n',
    '{\r\n\t"a": 1,\r\n\t"b": { "beckon": [] }\r\n}\r\n',
    `{ "${map}": {} }`,
    `{\n  // mine\n  "${map}": {\n    "other": { "command": "x" } // stays\n  },\n  "z": null\n}`,
  ];

  test("gets the server, next to others", () => {
    for (const text of texts) {
      const parsed = JSON.parse(write(shape, text).replace(/\/\/.*$/gm, ""));
      expect(parsed[map].beckon).toEqual(JSON.parse(jsonServer[shape]));
    }
    expect(write(shape, undefined)).toContain(`"${map}"`);
  });

  test("is the same, byte for byte, after the server is removed, also if the agent has changed other parts", () => {
    for (const text of [undefined, ...texts]) expect(restore(shape, text)).toBe(text);
    const changed = (written: string) => written.replace('"a": 1', '"a": 2');
    for (const text of texts) expect(restore(shape, text, changed)).toBe(changed(text));
  });

  test("is not changed by a second install, and a new path replaces the old one alone", () => {
    const text = `{"${map}":{"beckon":${jsonServer[shape].replace("/usr/bin/node", "/old/node").replace(/\}$/, ', "env": {"A":"b"} }')}}}`;
    const next = write(shape, text);
    expect(JSON.parse(next)[map].beckon).toEqual({ ...JSON.parse(jsonServer[shape]), env: { A: "b" } });
    expect(install(shape, next).changes).toBe(false);
  });

  test("is refused if it has another server of the name, or another shape", () => {
    const refused = [`{"${map}":{"beckon":{"command":"mine"}}}`, `{"${map}":[]}`, `{"${map}":{"beckon":1}}`, "[]", "{"];
    for (const text of refused) expect(() => install(shape, text), text).toThrow(SettingsError);
    expect(remove(shape, refused[0] ?? "")).toBe(refused[0]);
  });

  test("keeps all other values, whatever they are", () => {
    const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      if (Object.hasOwn(value, map)) return;
      const text = JSON.stringify(value, undefined, 2);
      const { [map]: added, ...others } = JSON.parse(write(shape, text));
      expect(others).toEqual(JSON.parse(text));
      expect(Object.keys(added)).toEqual(["beckon"]);
      expect(restore(shape, text)).toBe(text);
    });
    fc.assert(property);
  });
});

describe("TOML", () => {
  const shape = "server-tables";
  const server = `[mcp_servers.beckon]\ncommand = "/usr/bin/node"\nargs = [${cli}, "mcp"]\n`;
  const texts = [
    "",
    'model = "x"\n',
    'model = "x"',
    '# mine\nmodel = "x" # too\n\n[mcp_servers.other]\ncommand = "y"\n\n[projects."/a.b"]\ntrust_level = "trusted"\n',
    "a = 1\r\n[b]\r\nc = 2\r\n",
  ];

  test("gets a table for the server", () => {
    expect(write(shape, "")).toBe(server);
    expect(write(shape, 'model = "x"\n')).toBe(`model = "x"\n\n${server}`);
    expect(write(shape, texts[3])).toBe(`${texts[3]}\n${server}`);
  });

  test("is the same, byte for byte, after the server is removed, also if the agent has changed other parts", () => {
    for (const text of [undefined, ...texts]) expect(restore(shape, text)).toBe(text);
    const changed = (written: string) => written.replace('model = "x"', 'model = "z"');
    for (const text of texts.filter((text) => text.endsWith("\n")))
      expect(restore(shape, text, changed)).toBe(changed(text));
  });

  test("loses the server's tables and nothing else, wherever they are", () => {
    const tools = '[mcp_servers.beckon.tools.notify]\napproval_mode = "approve"\n';
    const rest = "# about b\n[b]\nc = 1\n";
    expect(remove(shape, `a = 1\n\n${server}${tools}\n${rest}`)).toBe(`a = 1\n\n${rest}`);
    expect(remove(shape, `${server}\n${rest}`)).toBe(`\n${rest}`);
  });

  test("is not changed by a second install, and a new path replaces the old one alone", () => {
    const old = `${server.replace("/usr/bin/node", "/old/node")}startup_timeout_sec = 9 # mine\n\n[b]\n`;
    expect(write(shape, old)).toBe(old.replace("/old/node", "/usr/bin/node"));
    expect(install(shape, `${server}[b]\n`).changes).toBe(false);
    const theirs = `[mcp_servers.beckon.env]\nA = 'b'\n[ mcp_servers . "beckon" ]\n"command"  = '/old/node' # mine\nargs = [${cli}, "mcp"]\n`;
    expect(write(shape, theirs)).toBe(theirs.replace("'/old/node'", '"/usr/bin/node"'));
    expect(remove(shape, `a = 1\n${theirs}[[mcp_servers.beckon.tools]]\n`)).toBe("a = 1\n");
  });

  test("is refused if it has another server of the name, or a form that cannot be edited", () => {
    const mine = '[mcp_servers.beckon]\ncommand = "mine"\n';
    const refused = [mine, 'mcp_servers = { other = { command = "x" } }\n', "a = \n"];
    for (const text of refused) expect(() => install(shape, text), text).toThrow(SettingsError);
    const inline = `mcp_servers = { beckon = { command = "/usr/bin/node", args = [${cli}, "mcp"] } }\n`;
    expect(() => remove(shape, inline)).toThrow(/a form that beckon cannot edit/);
  });
});
