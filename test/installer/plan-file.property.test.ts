import fc from "fast-check";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { beckonCommandsOf, isBeckonCommand } from "../../src/installer/beckon-commands.ts";
import { editors } from "../../src/installer/editors/registry.ts";
import { type Content, sha256 } from "../../src/installer/files/settings-text.ts";
import { type InstallPlanRequest, type Plan, planInstall, planUninstall } from "../../src/installer/plan-file.ts";
import type { InstallRecord } from "../../src/installer/record.ts";
import { planOf, wantedFor } from "../world/settings-tasks.ts";
import { jsoncSettings } from "./jsonc-texts.ts";
import { tomlSettings } from "./toml-texts.ts";

const beckonCommands = beckonCommandsOf({ commands: [], roots: [] });
const runs = { numRuns: 120 };
const bash = { command: "bash", timeout: "timeoutSec", constants: { type: "command" } };
const wanted = wantedFor("Notification", "Stop");
const wantedBash = new Map([...wanted].map(([event, entry]) => [event, { ...entry, form: bash }]));

interface Family {
  readonly shape: InstallPlanRequest["file"]["shape"];
  readonly texts: fc.Arbitrary<string>;
  readonly change: Partial<InstallPlanRequest>;
  /** A comment line that somebody adds at the top. */
  readonly theirs: string;
  readonly parse: (text: string) => Record<string, unknown>;
}

const json = { theirs: "// theirs\n", parse: (text: string) => parseJson(text) as Record<string, unknown> };
const families: [string, Family][] = [
  ["groups under hooks", { ...json, shape: "wrapped", texts: jsoncSettings("wrapped"), change: {} }],
  ["groups at the top", { ...json, shape: "bare", texts: jsoncSettings("bare"), change: {} }],
  ["flat lists", { ...json, shape: "flat", texts: jsoncSettings("flat"), change: { wanted: wantedBash } }],
  ["TOML", { theirs: "# theirs\n", parse: parseToml, shape: "tables", texts: tomlSettings, change: {} }],
];

describe.each(families)("%s", (_, { shape, texts, change, theirs, parse }) => {
  const file = { path: "/h/settings", shape };
  const install = (text: string | undefined) => planInstall(planOf(text, { file, ...change }));
  const uninstall = (before: Content, record?: InstallRecord) =>
    planUninstall({ file, beckonCommands, before, ...(record ? { record } : {}) });
  const list = (text: string) => editors[shape].list({ ...file, text });
  const otherHooks = (text: string) => list(text).filter(({ command }) => !isBeckonCommand(beckonCommands, command));
  const clean = texts.filter((text) => list(text).every(({ command }) => !isBeckonCommand(beckonCommands, command)));

  /** Everything in a file but its hooks; a bare file's events start with a capital. */
  const others = (text: string) =>
    Object.entries(parse(text)).filter(([name]) => !["hooks", "version"].includes(name) && !/^[A-Z]/.test(name));

  const recordOf = ({ after, created, original }: Plan): InstallRecord => ({
    v: 1,
    agent: "droid",
    scope: "user",
    shape,
    file: "/h/s",
    target: "/h/s",
    state: "done",
    original: original?.toString("base64") ?? null,
    written: after ? [sha256(after)] : [],
    entries: Object.fromEntries([...wanted].map(([event, { command, timeout }]) => [event, { command, timeout }])),
    created: created.map((path) => [...path]),
    folders: [],
    launcher: "/h/.beckon/hook",
    app: "/h/.beckon/app",
  });

  test("installing twice changes nothing the second time", () => {
    const property = fc.property(texts, (text) => {
      const once = install(text).after;
      expect(install(once?.toString()).changes).toBe(false);
    });
    fc.assert(property, runs);
  });

  test("after an install each wanted event has exactly one entry of beckon's, and everything else is unchanged", () => {
    const property = fc.property(texts, (text) => {
      const after = install(text).after?.toString() ?? "";
      for (const [event, { command }] of wanted) {
        const ours = list(after).filter(
          (entry) => entry.event === event && isBeckonCommand(beckonCommands, entry.command),
        );
        expect(ours.map((entry) => entry.command)).toEqual([command]);
      }
      if (text.trim() === "") return;
      expect(otherHooks(after)).toEqual(otherHooks(text));
      expect(others(after)).toEqual(others(text));
    });
    fc.assert(property, runs);
  });

  test("an uninstall right after an install gives the same bytes back", () => {
    const property = fc.property(clean, (text) => {
      const plan = install(text);
      expect(uninstall(plan.after, recordOf(plan)).after?.toString()).toBe(text);
    });
    fc.assert(property, runs);
  });

  test("what others write between install and uninstall survives, and nothing of beckon's does", () => {
    const property = fc.property(texts, fc.boolean(), (text, hasRecord) => {
      const plan = install(text);
      const edited = Buffer.from(`${theirs}${plan.after}`);
      const after = uninstall(edited, hasRecord ? recordOf(plan) : undefined).after?.toString() ?? "";
      // Where the file was beckon's alone and its last line did not end, theirs is the last line and does not end
      // either.
      expect(`${after}\n`.startsWith(theirs)).toBe(true);
      expect(list(after)).toEqual(text.trim() === "" ? [] : otherHooks(text));
      expect(others(after)).toEqual(text.trim() === "" ? [] : others(text));
      const comments = (all: string) => all.match(/(?:\/\/|#) (?:l|own line|why|two)|\/\* c \*\//g) ?? [];
      if (text.trim() === "" || otherHooks(text).length === list(text).length)
        expect(comments(after)).toEqual(comments(text));
    });
    fc.assert(property, runs);
  });

  test("an install only inserts: without the inserted characters the old text is left", () => {
    const property = fc.property(clean, (text) => {
      if (text.trim() === "") return;
      const after = install(text).after?.toString() ?? "";
      let at = 0;
      for (let index = 0; index < after.length; index += 1) if (after[index] === text[at]) at += 1;
      expect(at).toBe(text.length);
    });
    fc.assert(property, runs);
  });
});
