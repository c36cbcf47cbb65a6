import { readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { payloadFacts } from "../../src/core/agent.ts";
import { type AgentSettings, type InstallEnvironment, type Scope, scopes } from "../../src/core/agent-settings.ts";
import { ownAgent } from "../../src/core/event.ts";
import { answerEvent, eventNames, kinds, promptEvent } from "../../src/core/vocabulary.ts";
import { eventAt } from "../world/arriving-events.ts";

const folder = join(import.meta.dirname, "..", "..", "src", "agents");
const platforms = ["linux", "darwin", "win32"] as const;

const environmentOn = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}): InstallEnvironment => ({
  ...{ home: "/home/ann", project: "/home/ann/work", env, platform },
});
/** Lists every path in an agent's settings. */
function listPaths(settings: AgentSettings, environment: InstallEnvironment): string[] {
  return [
    settings.folder(environment),
    ...(settings.otherFolders?.(environment) ?? []),
    ...scopes.flatMap((scope) => settings.files(scope, environment).map(({ path }) => path)),
    ...(settings.switches?.(environment) ?? []).map(({ path }) => path),
    ...(settings.otherHookFiles?.(environment) ?? []).map(({ path }) => path),
  ];
}

test("each file of src/agents is one agent of its name, and is in the registry", () => {
  const files = readdirSync(folder).filter((file) => /^export const \w+ = defineAgent/m.test(readSource(file)));
  const names = files.map((file) => file.replace(/\.ts$/, ""));
  expect(agents.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(readSource(`${name}.ts`)).toContain(`name: "${name}"`);
});

function readSource(file: string): string {
  return file.endsWith(".ts") ? readFileSync(join(folder, file), "utf8") : "";
}

test("the installer knows every agent but beckon's own commands", () => {
  expect(agents.flatMap(({ name, settings }) => (settings ? [] : name))).toEqual([ownAgent]);
});

const fieldNames = [
  ...["hook_event_name", "hookEventName", "cwd", "timestamp", "transcript_path", "workspace_roots", "cursor_version"],
  ...["details", "error", "_exchange", "exchange", "tool_name", "tool_input", "questions", "type", "agent_id"],
  ...["background_tasks", "input-messages", "client", "prompt_response", "session_title", "hooks", "state", "projects"],
  ...["prompt", "prompt_id", "message_id", "request", "answer", "finish", "status", "tokens", "cost", "metadata"],
  ...["usage", "outcome", "tells_outcome", "args", "tool_call", "turn", "input"],
];
/** Payloads and settings with known names, and values of any type and depth. */
const anyPayload = fc.dictionary(
  fc.constantFrom(...fieldNames),
  fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...fieldNames), fc.jsonValue())),
);

const installable = agents.flatMap((agent) => (agent.settings ? [{ ...agent, settings: agent.settings }] : []));

describe.each(installable.map((agent) => [agent.name, agent] as const))("%s", (name, agent) => {
  const { settings } = agent;

  test("names its source, its title and its transcripts' folder", () => {
    expect(new URL(agent.source).protocol).toBe("https:");
    expect(agent.title).toMatch(/^[A-Z]/);
    expect(agent.transcriptPathHint).toMatch(/^\/\.[a-z-]+\/$/);
  });

  test("registers only known events that are not forbidden", () => {
    const registered = [...Object.keys(settings.defaultEvents), ...(settings.optionalEvents ?? [])];
    expect(Object.keys(agent.nativeEvents)).toEqual(expect.arrayContaining(registered));
    expect(registered.filter((nativeEvent) => Object.hasOwn(settings.forbiddenEvents ?? {}, nativeEvent))).toEqual([]);
    for (const reason of Object.values(settings.forbiddenEvents ?? {})) expect(reason.length).toBeGreaterThan(20);
  });

  test("registers the end of a turn, and of a session if there is an event for it, and maps events to known kinds", () => {
    const rules = Object.keys(settings.defaultEvents).map((nativeEvent) => agent.nativeEvents[nativeEvent]);
    const hasSessionEnd = Object.values(agent.nativeEvents).some(({ event }) => event === "SessionEnd");
    const ends = hasSessionEnd ? ["Stop", "SessionEnd"] : ["Stop"];
    expect(rules.map((rule) => rule?.event)).toEqual(expect.arrayContaining(ends));
    for (const rule of Object.values(agent.nativeEvents)) {
      expect([...eventNames, promptEvent, answerEvent]).toContain(rule.event);
      expect(kinds).toContain(rule.kind);
    }
    for (const kind of Object.values(agent.notificationKinds ?? {})) expect(kinds).toContain(kind);
  });

  test("has echo rules for its own events", () => {
    for (const { nativeEvent, after, withinMs } of agent.echoes ?? []) {
      expect(agent.nativeEvents).toHaveProperty(nativeEvent);
      expect(agent.nativeEvents).toHaveProperty(after);
      expect(withinMs).toBeLessThanOrEqual(120_000);
    }
  });

  test("gives hooks a few seconds, and three at most when a session ends", () => {
    for (const [nativeEvent, seconds] of Object.entries(settings.defaultEvents)) {
      const isEnd = agent.nativeEvents[nativeEvent]?.event === "SessionEnd";
      expect(seconds, nativeEvent).toBeGreaterThanOrEqual(2);
      expect(seconds, nativeEvent).toBeLessThanOrEqual(isEnd ? 3 : 10);
    }
  });

  test.each(platforms)("names absolute paths on %s, whatever the environment", (platform) => {
    const relative = new Proxy({}, { get: () => "x/y" });
    for (const environment of [environmentOn(platform), environmentOn(platform, relative)]) {
      const paths = listPaths(settings, environment);
      expect(paths.filter((path) => !isAbsolute(path) && !/^[A-Z]:\\/.test(path))).toEqual([]);
    }
  });

  test("has settings for the user, and project settings in the project", () => {
    const environment = environmentOn("linux");
    const listFiles = (scope: Scope) => settings.files(scope, environment).map(({ path }) => path);
    expect(listFiles("user")).not.toEqual([]);
    for (const path of listFiles("user")) expect(path.startsWith(`${environment.home}/.`), path).toBe(true);
    for (const path of [...listFiles("project"), ...listFiles("local")]) {
      expect(path.startsWith(`${environment.project}/.`), path).toBe(true);
    }
  });

  test("recognizes its payloads if it runs the hooks of other agents", () => {
    for (const { agent: lender } of settings.alsoRuns ?? []) {
      expect(agents.map((each) => each.name)).toContain(lender);
      expect(lender).not.toBe(name);
      expect(agent.recognizes).toBeTypeOf("function");
    }
  });

  test("names payload fields in snake_case", () => {
    const names = payloadFacts.flatMap((fact) => agent.payload.fields[fact] ?? []);
    expect(names.filter((field) => !/^[a-z]+(_[a-z]+)*$/.test(field))).toEqual([]);
  });

  test("reads payloads of any form without an error", () => {
    const { readers, title, usage } = agent.payload;
    const property = fc.property(anyPayload, (payload) => {
      agent.recognizes?.(payload);
      usage?.(payload);
      const texts = [title?.(payload), ...payloadFacts.map((fact) => readers?.[fact]?.(payload))];
      for (const text of texts) expect(["string", "undefined"]).toContain(typeof text);
      for (const event of [...eventNames, promptEvent, answerEvent]) {
        const mapped = eventAt(event, 0, { agent: name, event, kind: "info", extra: payload });
        agent.skipReason?.(mapped);
        agent.classify?.(mapped);
      }
    });
    fc.assert(property);
  });

  test("reads its trust from files of any form without an error", async () => {
    const path = "/home/ann/work/hooks.json";
    const files = [{ scope: "project", path, target: path }] as const;
    const environment = environmentOn("linux");
    const check = async (value: unknown) => {
      const request = { environment, files, readValue: async () => value, isBeckonCommand: () => true };
      const trust = await settings.readTrust?.(request);
      expect([undefined, "trusted", "untrusted", "unknown"]).toContain(trust?.state);
    };
    await fc.assert(fc.asyncProperty(fc.oneof(anyPayload, fc.anything()), check));
  });
});
