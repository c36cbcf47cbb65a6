import fc from "fast-check";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { type Content, sha256 } from "../../src/settings/content.ts";
import { isOwn, ownCommands } from "../../src/settings/own.ts";
import { type Plan, planInstall, planUninstall } from "../../src/settings/plan.ts";
import type { InstallRecord } from "../../src/settings/record.ts";
import { jsoncSettings } from "../helpers/jsonc-texts.ts";
import { droidCommand, planOf, wantedFor } from "../helpers/settings-jobs.ts";

const own = ownCommands({ commands: [], roots: [] });
const wanted = wantedFor("Notification", "Stop");
const runs = { numRuns: 500 };

function recordOf({ after, created, original }: Plan): InstallRecord {
  const entries = Object.fromEntries([...wanted].map(([event, { command, timeout }]) => [event, { command, timeout }]));
  return {
    v: 1,
    agent: "droid",
    scope: "user",
    shape: "wrapped",
    file: "/h/s",
    target: "/h/s",
    state: "done",
    original: original?.toString("base64") ?? null,
    written: after ? [sha256(after)] : [],
    entries,
    created: created.map((path) => [...path]),
    folders: [],
    launcher: "/h/.beckon/hook",
    app: "/h/.beckon/app",
  };
}

const uninstall = (before: Content, record?: InstallRecord) =>
  planUninstall({ ...planOf(undefined), before, ...(record ? { record } : {}) });

/** Every hook command that is not ours, event by event, in order. */
function foreignCommands(text: string): unknown[] {
  const hooks = (parse(text) as { hooks?: Record<string, { hooks: { command?: string }[] }[]> }).hooks ?? {};
  return Object.entries(hooks).map(([event, groups]) => [
    event,
    groups.flatMap((group) => group.hooks.filter((hook) => !isOwn(own, hook.command ?? ""))),
  ]);
}

const withoutEmpty = (pairs: unknown[]) => pairs.filter((pair) => ((pair as [string, unknown[]])[1]?.length ?? 0) > 0);

test("installing twice is installing once", () => {
  const property = fc.property(jsoncSettings, (text) => {
    const once = planInstall(planOf(text)).after;
    const twice = planInstall(planOf(once?.toString()));
    expect(twice.changes).toBe(false);
  });
  fc.assert(property, runs);
});

test("after an install each wanted event has exactly one entry of ours, and others' are as they were", () => {
  const property = fc.property(jsoncSettings, (text) => {
    const after = planInstall(planOf(text)).after?.toString() ?? "";
    const hooks = parse(after).hooks;
    for (const event of wanted.keys()) {
      const commands = hooks[event].flatMap((group: { hooks: { command?: string }[] }) =>
        group.hooks.map((each) => each.command),
      );
      expect(commands.filter((command: string | undefined) => isOwn(own, command ?? ""))).toEqual([
        droidCommand(event),
      ]);
    }
    expect(withoutEmpty(foreignCommands(after))).toEqual(withoutEmpty(foreignCommands(text)));
  });
  fc.assert(property, runs);
});

test("an uninstall right after an install gives the same bytes back", () => {
  const clean = jsoncSettings.filter((text) => !text.includes('"~/.beckon/hook Stop'));
  const property = fc.property(clean, (text) => {
    const plan = planInstall(planOf(text));
    expect(uninstall(plan.after, recordOf(plan)).after?.toString()).toBe(text);
  });
  fc.assert(property, runs);
});

test("what others write between install and uninstall survives, and nothing of ours does", () => {
  const property = fc.property(jsoncSettings, fc.boolean(), (text, hasRecord) => {
    const plan = planInstall(planOf(text));
    const edited = Buffer.from(`// theirs\n${plan.after}`);
    const after = uninstall(edited, hasRecord ? recordOf(plan) : undefined).after?.toString() ?? "";
    expect(after.startsWith("// theirs\n")).toBe(true);
    expect(after).not.toContain(JSON.stringify(droidCommand("Stop")));
    expect(withoutEmpty(foreignCommands(after))).toEqual(withoutEmpty(foreignCommands(text)));
    const comments = (all: string) => all.match(/\/\/ (?:l|own line)|\/\* c \*\//g) ?? [];
    if (!text.includes('"~/.beckon/hook Stop')) expect(comments(after)).toEqual(comments(text));
  });
  fc.assert(property, runs);
});

test("an install only inserts: without the inserted characters the old text is left", () => {
  const clean = jsoncSettings.filter((text) => !text.includes('"~/.beckon/hook Stop'));
  const property = fc.property(clean, (text) => {
    const after = planInstall(planOf(text)).after?.toString() ?? "";
    let at = 0;
    for (const char of after) if (char === text[at]) at += 1;
    expect(at).toBe(text.length);
  });
  fc.assert(property, runs);
});
