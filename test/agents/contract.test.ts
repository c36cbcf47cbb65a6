import { readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { type AgentSettings, type SettingsPlace, scopes } from "../../src/core/agent-settings.ts";
import { kinds } from "../../src/core/vocabulary.ts";

const folder = join(import.meta.dirname, "..", "..", "src", "agents");
const platforms = ["linux", "darwin", "win32"] as const;
const firesOn = ["Notification", "Stop", "SubagentStop", "SessionEnd"];

const placeOn = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}): SettingsPlace => ({
  home: "/home/ann",
  project: "/home/ann/work",
  env,
  platform,
});
/** Every path that an agent's data names. */
function pathsOf(settings: AgentSettings, place: SettingsPlace): string[] {
  return [
    settings.folder(place),
    ...scopes.flatMap((scope) => settings.files(scope, place).map(({ path }) => path)),
    ...(settings.switches?.(place) ?? []).map(({ path }) => path),
    ...(settings.beside?.(place) ?? []).map(({ path }) => path),
  ];
}

test("each file of src/agents is one agent of its name, and each is in the registry", () => {
  const files = readdirSync(folder).filter((file) => /^export const \w+ = defineAgent/m.test(textOf(file)));
  const names = files.map((file) => file.replace(/\.ts$/, ""));
  expect(agents.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(textOf(`${name}.ts`)).toContain(`name: "${name}"`);
});

function textOf(file: string): string {
  return file.endsWith(".ts") ? readFileSync(join(folder, file), "utf8") : "";
}

test("the installer knows every agent", () => {
  expect(agents.filter(({ settings }) => !settings)).toEqual([]);
});

const installable = agents.flatMap((agent) => (agent.settings ? [{ ...agent, settings: agent.settings }] : []));

describe.each(installable.map((agent) => [agent.name, agent] as const))("%s", (name, agent) => {
  const { settings } = agent;

  test("says where its contract was read", () => {
    expect(new URL(agent.source).protocol).toBe("https:");
    expect(agent.title).toMatch(/^[A-Z]/);
    expect(agent.footprint).toMatch(/^\/\.[a-z-]+\/$/);
  });

  test("registers firings that it knows, none that does harm", () => {
    const registered = [...Object.keys(settings.register), ...(settings.optional ?? [])];
    expect(Object.keys(agent.firings)).toEqual(expect.arrayContaining(registered));
    expect(registered.filter((firing) => Object.hasOwn(settings.never ?? {}, firing))).toEqual([]);
    for (const reason of Object.values(settings.never ?? {})) expect(reason.length).toBeGreaterThan(20);
  });

  test("is heard of when it finishes or fails, and when its session ends", () => {
    const heard = Object.keys(settings.register).map((firing) => agent.firings[firing]);
    expect(heard.map((rule) => rule?.event)).toEqual(expect.arrayContaining(["Stop", "SessionEnd"]));
    for (const rule of Object.values(agent.firings)) {
      expect(firesOn).toContain(rule.event);
      expect(kinds).toContain(rule.kind);
    }
    for (const kind of Object.values(agent.notificationKinds)) expect(kinds).toContain(kind);
  });

  test("its echoes are of firings that it has", () => {
    for (const { firing, after, withinMs } of agent.echoes) {
      expect(agent.firings).toHaveProperty(firing);
      expect(agent.firings).toHaveProperty(after);
      expect(withinMs).toBeLessThanOrEqual(120_000);
    }
  });

  test("gives a hook seconds, not minutes, and the end of a session no more than agents allow", () => {
    for (const [firing, seconds] of Object.entries(settings.register)) {
      const isEnd = agent.firings[firing]?.event === "SessionEnd";
      expect(seconds, firing).toBeGreaterThanOrEqual(2);
      expect(seconds, firing).toBeLessThanOrEqual(isEnd ? 3 : 10);
    }
  });

  test.each(platforms)("names absolute paths on %s, whatever the environment says", (platform) => {
    const variables = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "KIMI_CODE_HOME"];
    const nonsense = Object.fromEntries(
      [...variables, "GROK_HOME", "QWEN_HOME", "FACTORY_HOME"].map((v) => [v, "x/y"]),
    );
    for (const place of [placeOn(platform), placeOn(platform, nonsense)]) {
      for (const path of pathsOf(settings, place)) expect(isAbsolute(path) || /^[A-Z]:\\/.test(path), path).toBe(true);
    }
  });

  test("has settings for the user, and those of a project lie in it", () => {
    const place = placeOn("linux");
    expect(settings.files("user", place)).not.toEqual([]);
    for (const { path } of settings.files("user", place)) expect(path.startsWith(`${place.home}/.`)).toBe(true);
    for (const scope of ["project", "local"] as const) {
      for (const { path } of settings.files(scope, place)) expect(path.startsWith(`${place.project}/.`)).toBe(true);
    }
  });

  test("lends from agents that exist, and is told from them by its payloads", () => {
    for (const { agent: lender } of settings.alsoRuns ?? []) {
      expect(agents.map((each) => each.name)).toContain(lender);
      expect(lender).not.toBe(name);
      expect(agent.isOwn).toBeTypeOf("function");
    }
  });

  test("never throws over a payload or an event of any form", () => {
    const odd = [{}, { hook_event_name: 1, cwd: null }, { hookEventName: "Stop", timestamp: {} }];
    for (const payload of odd) expect(() => agent.isOwn?.(payload)).not.toThrow();
    const event = {
      id: "1",
      atMs: 0,
      agent: name,
      event: "Stop",
      firing: "Stop",
      kind: "finished",
      project: "p",
      extra: {},
    } as const;
    expect(() => [agent.falseEnd?.(event), agent.kindOf?.(event)]).not.toThrow();
  });
});
