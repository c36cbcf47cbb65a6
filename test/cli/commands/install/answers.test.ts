import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { runUpgrade } from "../../../../src/cli/commands/upgrade.ts";
import { both, claude, droid, installWorld } from "../../../world/install-world.ts";

const answers = { agents: ["claude"], projects: ["~/code/**"], wait: "5m" };
const isLinux = process.platform === "linux";

interface Hook {
  readonly command: string;
  readonly timeout: number;
}

function world() {
  const made = installWorld({ files: both });
  const configure = (config: object) =>
    writeFileSync(made.at(".beckon/config.jsonc"), JSON.stringify(config), { mode: 0o600 });
  const hooks = (event: string): Hook[] => {
    const { hooks } = JSON.parse(readFileSync(made.at(claude), "utf8")) as {
      hooks: Record<string, { hooks: Hook[] }[]>;
    };
    return (hooks[event] ?? []).flatMap((group) => group.hooks);
  };
  mkdirSync(made.at(".beckon"), { recursive: true, mode: 0o700 });
  return { ...made, configure, hooks };
}

const asking = {
  type: "command",
  command: "~/.beckon/hook PermissionRequest --agent claude --ask 300 || :",
  timeout: 330,
};

test("without the setting, no hook asks", async () => {
  const { context, at, configure } = world();
  configure({ lookups: [] });
  await runInstall({ yes: true }, context);
  for (const file of [claude, droid]) expect(readFileSync(at(file), "utf8")).not.toMatch(/--ask|PermissionRequest/);
});

test.runIf(isLinux)("the hook that asks comes with the setting and goes with it, for its agents alone", async () => {
  const { context, at, configure, hooks, output } = world();
  configure({ lookups: [] });
  await runInstall({ yes: true }, context);
  const before = readFileSync(at(claude), "utf8");
  configure({ lookups: [], answers });
  await runInstall({ yes: true, dryRun: true, diff: true }, context);
  expect(output()).toMatch(/\+.*"~\/\.beckon\/hook PermissionRequest --agent claude --ask 300 \|\| :"/);
  expect(output()).toContain("The hook for PermissionRequest waits up to 300 s for your answer on the phone");
  expect(readFileSync(at(claude), "utf8")).toBe(before);
  await runInstall({ yes: true }, context);
  expect(hooks("PermissionRequest")).toEqual([asking]);
  expect(readFileSync(at(droid), "utf8")).not.toContain("--ask");
  configure({ lookups: [], answers: { ...answers, wait: "10m" } });
  await runInstall({ yes: true }, context);
  expect(hooks("PermissionRequest")).toMatchObject([{ command: /--ask 600/, timeout: 630 }]);
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
  expect(hooks("PermissionRequest")).toEqual([asking]);
  configure({ lookups: [], answers: { ...answers, unknown: 1 } });
  await runUpgrade({ yes: true }, context);
  expect(readFileSync(at(claude), "utf8")).toBe(before);
});

test.runIf(isLinux)(
  "a permission event that the user chose stays without asking after the setting has gone",
  async () => {
    const { context, configure, hooks } = world();
    configure({ lookups: [], answers });
    await runInstall({ yes: true, also: ["PermissionRequest"] }, context);
    expect(hooks("PermissionRequest")).toEqual([asking]);
    configure({ lookups: [] });
    await runInstall({ yes: true }, context);
    expect(hooks("PermissionRequest")).toEqual([
      { ...asking, command: "~/.beckon/hook PermissionRequest --agent claude || :", timeout: 5 },
    ]);
  },
);

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
