import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { runUninstall } from "../../../../src/cli/commands/uninstall.ts";
import { runUpgrade } from "../../../../src/cli/commands/upgrade.ts";
import { both, claude, droid, installWorld } from "../../../world/install-world.ts";

const codex = ".codex/hooks.json";
const qwen = ".qwen/settings.json";
const answers = { agents: ["claude"], projects: ["~/code/**"], wait: "5m" };
const isLinux = process.platform === "linux";

interface Group {
  readonly matcher?: string;
  readonly hooks: readonly { readonly command: string; readonly timeout: number }[];
}

function world(files: Record<string, string> = both) {
  const made = installWorld({ files });
  const configure = (config: object) =>
    writeFileSync(made.at(".beckon/config.jsonc"), JSON.stringify(config), { mode: 0o600 });
  const groups = (event: string, file = claude): readonly Group[] => {
    const { hooks } = JSON.parse(readFileSync(made.at(file), "utf8")) as { hooks: Record<string, Group[]> };
    return hooks[event] ?? [];
  };
  const hooks = (event: string, file?: string) => groups(event, file).flatMap((group) => group.hooks);
  mkdirSync(made.at(".beckon"), { recursive: true, mode: 0o700 });
  return { ...made, configure, groups, hooks };
}

const asking = {
  type: "command",
  command: "~/.beckon/hook PermissionRequest --agent claude --ask 300 || :",
  timeout: 330,
};
const askingForms = { ...asking, command: asking.command.replace("--ask", "--form") };
/** Groups of the two hooks that ask: one for all tools but those with forms, one for these. */
const askingGroups = [
  { matcher: "^(?!(?:AskUserQuestion|ExitPlanMode)$)", hooks: [asking] },
  { matcher: "AskUserQuestion|ExitPlanMode", hooks: [askingForms] },
];

test.runIf(isLinux)("the hook that asks comes with the setting and goes with it, for its agents alone", async () => {
  const { context, at, configure, groups, hooks, output } = world();
  configure({ lookups: [] });
  await runInstall({ yes: true }, context);
  const before = readFileSync(at(claude), "utf8");
  expect(before).not.toMatch(/--ask|PermissionRequest/);
  configure({ lookups: [], answers });
  await runInstall({ yes: true, dryRun: true, diff: true }, context);
  expect(output()).toMatch(/\+.*"~\/\.beckon\/hook PermissionRequest --agent claude --ask 300 \|\| :"/);
  expect(output()).toContain("The hook for PermissionRequest waits up to 300 s for your answer with `beckon answer`");
  expect(readFileSync(at(claude), "utf8")).toBe(before);
  await runInstall({ yes: true }, context);
  expect(groups("PermissionRequest")).toEqual(askingGroups);
  expect(readFileSync(at(droid), "utf8")).not.toContain("--ask");
  configure({ lookups: [], answers: { ...answers, wait: "10m" } });
  await runInstall({ yes: true }, context);
  expect(hooks("PermissionRequest")).toMatchObject([
    { command: /--ask 600/, timeout: 630 },
    { command: /--form 600/, timeout: 630 },
  ]);
  configure({ lookups: [] });
  await runInstall({ yes: true }, context);
  expect(readFileSync(at(claude), "utf8")).toBe(before);
});

test.runIf(isLinux)("an upgrade adds and removes the hook as the setting says", async () => {
  const { context, at, configure, hooks } = world();
  configure({ lookups: [] });
  await runInstall({ yes: true }, context);
  const before = readFileSync(at(claude), "utf8");
  configure({ lookups: [], answers });
  await runUpgrade({ yes: true }, context);
  expect(hooks("PermissionRequest")).toEqual([asking, askingForms]);
  configure({ lookups: [], answers: { ...answers, unknown: 1 } });
  await runUpgrade({ yes: true }, context);
  expect(readFileSync(at(claude), "utf8")).toBe(before);
});

test.runIf(isLinux)(
  "a permission event that the user chose stays without asking after the setting has gone",
  async () => {
    const { context, configure, groups, hooks } = world();
    configure({ lookups: [], answers });
    await runInstall({ yes: true, also: ["PermissionRequest"] }, context);
    expect(hooks("PermissionRequest")).toEqual([asking, askingForms]);
    configure({ lookups: [] });
    await runInstall({ yes: true }, context);
    expect(groups("PermissionRequest")).toEqual([
      { hooks: [{ ...asking, command: "~/.beckon/hook PermissionRequest --agent claude || :", timeout: 5 }] },
    ]);
  },
);

test.runIf(isLinux).each([
  ["none, as earlier versions wrote it", undefined, askingGroups],
  ["the user's", "Bash", [{ matcher: "Bash", hooks: [asking] }, askingGroups[1]]],
])("an entry whose matcher is %s, gets or keeps it", async (_, matcher, expected) => {
  const older = { matcher, hooks: [{ ...asking, command: asking.command.replace("300", "60"), timeout: 330 }] };
  const theirs = { matcher: "Write", hooks: [{ type: "command", command: "mine" }] };
  const settings = JSON.stringify({ hooks: { PermissionRequest: [theirs, older] } });
  const { context, at, configure, groups } = world({ [claude]: settings });
  configure({ lookups: [], answers });
  await runInstall({ yes: true }, context);
  expect(groups("PermissionRequest")).toEqual([theirs, ...expected]);
  const first = readFileSync(at(claude), "utf8");
  await runInstall({ yes: true }, context);
  expect(readFileSync(at(claude), "utf8")).toBe(first);
  await runUninstall({ yes: true }, context);
  expect(groups("PermissionRequest")).toEqual([theirs]);
});

test("a project's settings, and other systems, get no hook that asks", async () => {
  const { context, at, configure, output } = world();
  configure({ lookups: [], answers });
  await runInstall({ agents: ["claude"], scope: "project", yes: true }, context);
  expect(readFileSync(at("project/.claude/settings.json"), "utf8")).not.toContain("--ask");
  expect(output()).toContain("Answering outside the agent needs Linux");
  const environment = { ...context.environment, platform: "darwin" } as const;
  await runInstall({ agents: ["claude"], yes: true }, { ...context, environment });
  expect(readFileSync(at(claude), "utf8")).not.toContain("--ask");
  rmSync(at(".beckon"), { recursive: true });
});

describe.runIf(isLinux)("agents whose dialog comes after the hook", () => {
  const own = '{\n    "hooks": { "Stop": [{ "hooks": [{"type":"command","command":"mine"}] }] }\n}\n';
  const settings = { lookups: [], answers: { ...answers, agents: ["codex", "qwen"] } };
  const status = { statusMessage: "Waiting for your answer; any key asks here" };
  const line = (agent: string, ask = "") => `~/.beckon/hook PermissionRequest --agent ${agent}${ask} || :`;

  test("get the time in their unit, and Codex a message that says what to do", async () => {
    const { context, configure, hooks, output } = world({ [codex]: own, [qwen]: "{}" });
    configure(settings);
    await runInstall({ yes: true }, context);
    const asked = { type: "command", command: line("codex", " --ask 300"), timeout: 330, ...status };
    expect(hooks("PermissionRequest", codex)).toEqual([asked]);
    expect(hooks("PermissionRequest", qwen)).toMatchObject([{ command: line("qwen", " --ask 300"), timeout: 330_000 }]);
    expect(hooks("PermissionRequest", qwen)[0]).not.toHaveProperty("statusMessage");
    expect(output()).toContain("only while you are away: any key in its terminal ends the wait");
    expect(output()).toContain("Codex runs no new or changed hook before you have trusted it");
    expect(output()).toMatch(/desk {2}sent {2}12 ms {2}PermissionRequest --agent codex$/m);
  });

  test("lose both with the setting, byte for byte, and so do edited files", async () => {
    const { context, at, configure, hooks } = world({ [codex]: own, [qwen]: "{}" });
    const read = () => [codex, qwen].map((file) => readFileSync(at(file), "utf8"));
    configure({ lookups: [] });
    await runInstall({ yes: true }, context);
    const before = read();
    for (const change of [runInstall, runUpgrade]) {
      configure(settings);
      await change({ yes: true }, context);
      const asking = read();
      expect(asking[0]).toContain(status.statusMessage);
      await change({ yes: true }, context);
      expect(read()).toEqual(asking);
      configure({ lookups: [] });
      await change({ yes: true }, context);
      expect(read()).toEqual(before);
    }
    configure(settings);
    await runInstall({ yes: true }, context);
    writeFileSync(at(codex), readFileSync(at(codex), "utf8").replace('"mine"', '"mine too"'));
    configure({ lookups: [] });
    await runInstall({ yes: true }, context);
    expect(read()[0]).toBe(before[0]?.replace('"mine"', '"mine too"'));
    expect(hooks("PermissionRequest", codex)).toEqual([{ type: "command", command: line("codex"), timeout: 5 }]);
  });

  test("are restored by an uninstall", async () => {
    const { context, at, configure } = world({ [codex]: own, [qwen]: "{}" });
    configure(settings);
    await runInstall({ yes: true }, context);
    await runUninstall({ yes: true }, context);
    expect([codex, qwen].map((file) => readFileSync(at(file), "utf8"))).toEqual([own, "{}"]);
  });

  test("keep the user's message", async () => {
    const { context, at, configure, hooks } = world({ [codex]: own });
    configure({ lookups: [] });
    await runInstall({ yes: true }, context);
    const entry = `"command": "${line("codex")}"`;
    writeFileSync(at(codex), readFileSync(at(codex), "utf8").replace(entry, `"statusMessage": "Asking", ${entry}`));
    for (const config of [settings, { lookups: [] }]) {
      configure(config);
      await runInstall({ yes: true }, context);
      expect(hooks("PermissionRequest", codex)).toMatchObject([{ statusMessage: "Asking" }]);
    }
  });
});
