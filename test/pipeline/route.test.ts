import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Route } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { route } from "../../src/pipeline/route.ts";
import { eventAt } from "../world/arriving-events.ts";

const where = { agent: "droid", cwd: "/home/me/code/shop" };
const event = eventAt("SessionEnd", 0, { ...where, kind: "failed", reason: "other" });
const namesFor = (event: AgentEvent, routes: Route[]) =>
  route(event, { routes, standInRoutes: [] }).steps.map(({ notifier }) => notifier);
const goesTo = (part: Partial<Route>, more: Partial<AgentEvent> = {}): boolean =>
  namesFor({ ...event, ...more }, [{ to: ["x"], ...part }]).length > 0;

beforeEach(() => vi.stubEnv("HOME", "/home/me"));
afterEach(() => vi.unstubAllEnvs());

describe("a route", () => {
  test.each<[string, Partial<Route>, boolean]>([
    ["without conditions", {}, true],
    ["for this event", { on: ["Stop", "SessionEnd"] }, true],
    ["for this event in another spelling", { on: ["sessionend"] }, true],
    ["for another event", { on: ["Stop"] }, false],
    ["for this kind", { kinds: ["needs-you", "failed"] }, true],
    ["for another kind", { kinds: ["finished"] }, false],
    ["for this agent", { agents: ["droid"] }, true],
    ["for another agent", { agents: ["claude"] }, false],
    ["for this reason", { reasons: ["error", "other"] }, true],
    ["for another reason", { reasons: ["error"] }, false],
    ["that meets all but one condition", { on: ["SessionEnd"], kinds: ["failed"], agents: ["claude"] }, false],
    ["meeting all conditions", { on: ["SessionEnd"], kinds: ["failed"], agents: ["droid"], reasons: ["other"] }, true],
  ])("%s", (_, part, matches) => {
    expect(goesTo(part)).toBe(matches);
  });

  test("is not asked about a sample that names its notifiers", () => {
    expect(namesFor({ ...event, to: ["a", "b"] }, [{ to: ["x"] }])).toEqual(["a", "b"]);
  });

  test("matches an agent's own event name", () => {
    expect(goesTo({ on: ["StopFailure"] }, { event: "Stop", nativeEvent: "StopFailure" })).toBe(true);
    expect(goesTo({ on: ["Stop"] }, { event: "Stop", nativeEvent: "StopFailure" })).toBe(true);
  });

  test("by reason or project does not match an event without reason or folder", () => {
    const { reason: _, cwd: __, ...without } = event;
    expect(
      namesFor(without, [
        { reasons: ["other"], to: ["x"] },
        { projects: ["/**"], to: ["x"] },
      ]),
    ).toEqual([]);
  });
});

describe("a project", () => {
  test.each<[string, string, boolean]>([
    ["/home/me/code/shop", "/home/me/code/shop", true],
    ["/home/me/code/shop/", "/home/me/code/shop", true],
    ["/home/me/code/**", "/home/me/code/shop", true],
    ["/home/me/code/**", "/home/me/code/shop/src/deep", true],
    ["/home/me/code/**", "/home/me/code", true],
    ["/home/me/code/**", "/home/me/codex", false],
    ["/home/me/code/*", "/home/me/code/shop", true],
    ["/home/me/code/*", "/home/me/code/shop/src", false],
    ["/home/me/code/*", "/home/me/code", false],
    ["~/code/**", "/home/me/code/shop", true],
    ["~/code/**", "/home/you/code/shop", false],
    ["~/**", "/home/me", true],
    ["~", "/home/me", true],
    ["~/", "/home/me", true],
    ["~", "/home/me/code", false],
    ["~you/**", "/home/you/x", false],
    ["/**", "/home/me/code/shop", true],
    ["/**", "/", true],
    ["**", "/home/me/code/shop", true],
    ["**/shop", "/home/me/code/shop", true],
    ["/home/me/.config/**", "/home/me/.config/nvim", true],
    ["~/code/**", "/home/me/code/.hidden/x", true],
    ["/home/me/code/{shop,site}", "/home/me/code/site", true],
    ["/home/me/code/s?op", "/home/me/code/shop", true],
    ["/home/me/Code/**", "/home/me/code/shop", false],
    ["/home/me/my shop", "/home/me/my shop", true],
    ["code/**", "/home/me/code/shop", false],
  ])("%s matches %s: %s", (glob, cwd, matches) => {
    expect(goesTo({ projects: [glob] }, { cwd })).toBe(matches);
    expect(goesTo({ projects: [glob] }, { cwd: cwd === "/" ? cwd : `${cwd}/` })).toBe(matches);
  });

  test
    .skipIf(process.platform === "win32")
    .each(["/home/a (b)", "/home/a[b]", "/home/{a,b}", "/home/a+(b)", "/home/!a", "/home/a*"])(
    "below the home folder matches %s literally",
    (home) => {
      vi.stubEnv("HOME", home);
      expect(goesTo({ projects: ["~/code/**"] }, { cwd: `${home}/code/shop` })).toBe(true);
      expect(goesTo({ projects: ["~/code/**"] }, { cwd: "/home/a/code/shop" })).toBe(false);
    },
  );

  test("may be any text accepted by the configuration, without an exception", async () => {
    const bit = fc.constantFrom("/", "**", "*", "~", "(", ")", "[", "]", "{", "}", "!", "+", "\\", "a", "|");
    const bits = fc.array(bit, { minLength: 1 }).map((all) => all.join(""));
    const glob = fc.oneof(fc.string({ minLength: 1 }), bits);
    await fc.assert(
      fc.asyncProperty(fc.array(glob, { minLength: 1, maxLength: 3 }), fc.string(), async (projects, cwd) => {
        const { routes } = await parseConfig(JSON.stringify({ routes: [{ projects, to: ["desk"] }] }));
        expect(() => route({ ...event, cwd: `/${cwd}` }, { routes, standInRoutes: [] })).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });

  test("may not be empty", async () => {
    const { routes, findings } = await parseConfig('{"routes":[{"projects":[""],"to":["desk"]}]}');
    expect(routes).toEqual([]);
    expect(findings).toContainEqual(expect.objectContaining({ level: "error", path: "routes[0].projects[0]" }));
  });
});

test("every matching route adds its notifiers, each once, in route order", () => {
  const routes = [{ to: ["b", "a"] }, { on: ["Stop"], to: ["c"] }, { to: ["a", "d"] }];
  expect(namesFor(event, routes)).toEqual(["b", "a", "d"]);
});

test("a prompt notifies nobody, whatever the routes say", () => {
  expect(namesFor({ ...event, event: "Prompt" }, [{ to: ["a"] }, { on: ["Prompt"], to: ["b"] }])).toEqual([]);
});

test("the fallback routes apply if the others name no notifier, for the journal to report", () => {
  const standInRoutes = [{ kinds: ["failed" as const], to: ["default-desk"] }];
  const silent = { routes: [{ to: [] }], standInRoutes };
  const first = (notifier: string) => ({ notifier, number: 0, afterMs: 0 });
  expect(route(event, { routes: [{ to: ["a"] }], standInRoutes })).toEqual({ steps: [first("a")] });
  const note = expect.stringContaining("configuration");
  expect(route(event, silent)).toEqual({ steps: [first("default-desk")], note });
  expect(route({ ...event, kind: "finished" }, silent)).toEqual({ steps: [] });
  const error = { level: "error", path: "notifiers.team.url", line: 3, message: "must be an http(s) URL" } as const;
  const named = expect.stringMatching(/configuration .*: notifiers\.team\.url \(line 3\): must be an http\(s\) URL\.$/);
  const findings = [{ ...error, level: "warning" as const, path: "x" }, error];
  expect(route({ ...event, kind: "info" }, { ...silent, findings })).toEqual({ steps: [], note: named });
  expect(route(event, { ...silent, findings })).toEqual({ steps: [first("default-desk")], note: named });
  expect(route(event, { routes: [{ on: ["Nothing"], to: [] }], standInRoutes: [], findings })).toEqual({ steps: [] });
});

test("a sample goes only to the user and through relays, and says so if that leaves nobody", async () => {
  const hook = { type: "webhook", url: "https://example.org" };
  const others = { team: { ...hook, type: "slack" }, hook, home: { type: "relay", via: "stdio" } };
  const own = { phone: { type: "ntfy", topic: "x" }, hers: { ...hook, for: "person" } };
  const config = await parseConfig(JSON.stringify({ notifiers: { ...others, ...own } }));
  const sample = { ...event, sessionId: "beckon-install-1" };
  const names = (event: AgentEvent) => route(event, config).steps.map(({ notifier }) => notifier);
  expect(names(sample)).toEqual(["home", "phone", "hers"]);
  expect(names({ ...sample, sessionId: "install-1" })).toEqual(["team", "hook", "home", "phone", "hers"]);
  expect(names({ ...sample, to: ["team"] })).toEqual(["team"]);
  const forTeam = { ...config, routes: [{ to: ["team"] }] };
  expect(route(sample, forTeam)).toEqual({ steps: [], note: "samples go only to your own notifiers" });
});
