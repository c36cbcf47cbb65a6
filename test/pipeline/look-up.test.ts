import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { noteEvent } from "../../src/attention/note-event.ts";
import { threadKey } from "../../src/attention/session-keys.ts";
import type { Route } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { projectVariables } from "../../src/core/project-variables.ts";
import { lookUp, settleProject } from "../../src/pipeline/look-up.ts";
import { findMismatch, route } from "../../src/pipeline/route.ts";
import { eventAt } from "../world/arriving-events.ts";
import { AttentionWorld } from "../world/attention-world.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { answer, type Behaviour, type HostileServer, openHostileServer, silence } from "../world/hostile-server.ts";
import { localPorts } from "../world/local-ports.ts";
import { parsed } from "../world/parsed.ts";

describe("look up", () => {
  const canary = "canary-4711-canary";
  const event = eventAt("Stop", 0, {
    agent: "else",
    kind: "finished",
    sessionId: "session-1",
    lastMessage: "Everything is green.",
  });
  let server: HostileServer;
  let secrets: string[];
  beforeEach(() => {
    vi.stubEnv("BECKON_TEST_KEY", canary);
    secrets = [];
  });
  afterEach(() => void vi.unstubAllEnvs());

  async function lookedUp(behaviour: Behaviour, more: object = {}) {
    server = await openHostileServer({ "/api/v0/sessions": behaviour });
    const service = { baseUrl: server.origin, apiKey: "${env:BECKON_TEST_KEY}" };
    const config = await parseConfig(JSON.stringify({ lookups: ["transcript", "service"], service, ...more }));
    expect(config.findings).toEqual([]);
    const keepSecret = (values: readonly string[]): void => void secrets.push(...values);
    return lookUp(event, { config, ports: localPorts(), keepSecret });
  }

  test("merges the facts from all lookups", async () => {
    const page = { sessions: [{ sessionId: "session-1", title: "Fix it" }], pagination: { hasMore: false } };
    const json = { "content-type": "application/json" };
    const { facts, problems } = await lookedUp(answer(200, json, JSON.stringify(page)));
    expect(facts).toMatchObject({ title: "Fix it", summary: "Everything is green." });
    expect(problems).toEqual([]);
  });

  test.each<[string, Behaviour]>([
    ["rejects the key", answer(401)],
    ["is down", answer(503)],
    ["answers with garbage", answer(200, {}, "<html>")],
    ["is silent", silence],
  ])("keeps the other facts if the service %s, and reports why", async (_, behaviour) => {
    const { facts, problems } = await lookedUp(behaviour); // the silent service would never answer
    expect(facts).toMatchObject({ lastMessage: "Everything is green." });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^lookup service: /);
    expect(problems[0]).not.toContain(canary);
  });

  test("passes on secrets so that the journal hides them", async () => {
    await lookedUp(answer(500));
    expect(secrets).toContain(canary);
  });

  test("reports a missing secret by its path, and finds the rest", async () => {
    vi.stubEnv("BECKON_TEST_KEY", "");
    const { facts, problems } = await lookedUp(answer(200));
    expect(problems).toEqual(["lookup service: service.apiKey: ${env:BECKON_TEST_KEY} is not set"]);
    expect(facts.summary).toBe("Everything is green.");
    expect(server.requests).toEqual([]);
  });

  test("resolves no secrets of a profile, as only commands use profiles", async () => {
    const marker = join(freshFolder(), "resolved");
    const apiKey = "${env:BECKON_TEST_KEY}";
    const profiles = { acme: { apiKey: `\${command:touch ${marker}}`, ca: "${file:/nowhere}" } };
    const service = { baseUrl: "http://127.0.0.1:9", apiKey, profiles };
    const { problems } = await lookedUp(answer(200), { service });
    expect(problems).toEqual([expect.stringContaining("127.0.0.1:9")]);
    expect(existsSync(marker)).toBe(false);
  });

  test("uses only the configured lookups", async () => {
    const { facts } = await lookedUp(answer(200), { lookups: ["transcript"] });
    expect(facts.summary).toBe("Everything is green.");
    expect(server.requests).toEqual([]);
  });
});

describe("project", () => {
  let world: AttentionWorld;
  beforeEach(async () => {
    world = new AttentionWorld();
    await world.start({ routes: [] });
  });

  const folder = (...parts: string[]) => {
    const path = join(world.root, "home", ...parts);
    mkdirSync(path, { recursive: true });
    return path;
  };

  /** Puts a linked worktree of `main` at `path`, as git does. */
  function linkWorktree(main: string, path: string, gitdir = join(main, ".git")): string {
    mkdirSync(join(path, "src"), { recursive: true });
    mkdirSync(join(main, ".git"), { recursive: true });
    writeFileSync(join(path, ".git"), `gitdir: ${gitdir}/worktrees/fix-login\n`);
    return path;
  }

  /** Settles an event of a session and records it in the session's alert. */
  async function settle(cwd: string, { session = "s", agent = "claude", env = {}, startedIn = "" } = {}) {
    const event = parsed({ session_id: session, cwd }, { agent, projects: env });
    const work = { requests: [], calls: [], running: [], ...(startedIn && { startedIn }) };
    const settled = await settleProject(event, { work }, world.context);
    world.context.alerts.put(
      noteEvent(world.context.alerts.get(threadKey(settled)), settled, {}, { nowMs: settled.atMs }),
    );
    return settled;
  }

  test("a session's project stays the folder in which it began", async () => {
    const shop = folder("code", "shop");
    for (const cwd of [shop, folder("code", "shop", "packages", "api"), "/tmp"]) {
      expect((await settle(cwd, { session: "a", env: { CLAUDE_PROJECT_DIR: shop } })).project).toBe("shop");
      expect((await settle(cwd, { session: "b", startedIn: shop })).project).toBe("shop");
      expect((await settle(cwd, { session: "c" })).project).toBe("shop");
    }
  });

  test("a session begun in a monorepo package is named after the package", async () => {
    folder("mono", ".git");
    folder(".git");
    const api = folder("mono", "packages", "api");
    expect((await settle(api, { env: { CLAUDE_PROJECT_DIR: api } })).project).toBe("api");
  });

  test("only variables of the agent that ran the hook count", async () => {
    const [cwd, other] = [folder("mine"), folder("other")];
    const env = Object.fromEntries(projectVariables.map((name) => [name, other]));
    const named = agents.map(async ({ name, projectVariables: own = [] }) => {
      const { project } = await settle(cwd, { session: name, agent: name, env });
      expect(project, name).toBe(own.length > 0 ? "other" : "mine");
      const without = Object.fromEntries(Object.entries(env).filter(([key]) => !own.some((name) => name === key)));
      expect((await settle(cwd, { session: `${name}-2`, agent: name, env: without })).project, name).toBe("mine");
    });
    await Promise.all(named);
  });

  test("a linked worktree counts as its main checkout and is named next to it", async () => {
    const main = folder("code", "shop");
    const inside = linkWorktree(main, folder("code", "shop", ".claude", "worktrees", "fix-login"));
    expect((await settle(inside, { session: "a" })).project).toBe("shop (fix-login)");
    expect((await settle(join(inside, "src"), { session: "b" })).project).toBe("src (fix-login)");
    expect((await settle(inside, { session: "c", env: { CLAUDE_PROJECT_DIR: main } })).project).toBe("shop");
    const beside = linkWorktree(main, folder("code", "shop-fix"), "../shop/.git");
    expect((await settle(beside, { session: "d" })).project).toBe("shop (shop-fix)");
  });

  test.each([
    ["cosmos/.bare", "main", "cosmos (main)"],
    ["cosmos/.git", "trees/main", "cosmos (main)"],
    ["cosmos.git", "main", "cosmos (main)"],
    ["cosmos/repository", "../elsewhere/fix", "repository (fix)"],
    ["shop/.git/modules/payments", "fix", "payments (fix)"],
  ])("a worktree of the repository %s is named after the repository", async (repository, tree, name) => {
    const worktree = folder("www", repository, "..", tree);
    const gitdir = join(folder("www", repository, "worktrees", "main"));
    for (const path of [gitdir, relative(worktree, gitdir)]) {
      writeFileSync(join(worktree, ".git"), `gitdir: ${path}\n`);
      expect((await settle(worktree, { session: path })).project).toBe(name);
    }
  });

  test("a folder is no worktree only because of its name, or its repository's path", async () => {
    expect((await settle(folder("code", "main"), { session: "a" })).project).toBe("main");
    const own = folder("code", "apart");
    writeFileSync(join(own, ".git"), `gitdir: ${dirname(folder("worktrees", "apart", "objects"))}\n`);
    expect((await settle(own, { session: "b" })).project).toBe("apart");
  });

  test("a session keeps its place when the worktree is removed", async () => {
    const worktree = linkWorktree(folder("code", "shop"), folder("code", "shop-fix"));
    expect((await settle(worktree)).project).toBe("shop (shop-fix)");
    rmSync(worktree, { recursive: true });
    expect((await settle(worktree)).project).toBe("shop (shop-fix)");
  });

  test("routes compare a folder's written and real paths, on both sides", async () => {
    const [shop, other] = [folder("data", "shop-v2"), folder("data", "other")];
    const link = join(folder("code"), "shop");
    symlinkSync(shop, link);
    const matches = async (cwd: string, glob: string) => {
      const config = { ...world.context.config, routes: [{ to: ["desk"], projects: [glob] }] };
      const event = parsed({ session_id: `${cwd} ${glob}`, cwd }, { agent: "claude" });
      return route(await settleProject(event, {}, { ...world.context, config }), config).steps.length === 1;
    };
    for (const glob of [`${link}/**`, link, `${shop}/**`, join(link, "..", "*"), join(link, "..", "**")]) {
      expect(await matches(shop, glob), glob).toBe(true);
      expect(await matches(link, glob), glob).toBe(true);
      expect(await matches(other, glob), glob).toBe(false);
    }
    expect(await matches(folder("data", "shop-v2", "api"), `${link}/**`)).toBe(true);
    expect(await matches(folder("data", "shop-v2", "api"), link)).toBe(false);
    expect(await matches(folder("data", "shop-v22"), `${link}/**`)).toBe(false);
  });

  test("a submodule, a plain repository and a broken .git are not worktrees", async () => {
    const files = { sub: "gitdir: ../.git/modules/sub\n", odd: "nonsense", empty: "" };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder("code", name), ".git"), text);
      expect((await settle(folder("code", name), { session: name })).project).toBe(name);
    }
  });

  test("routes match the project and a worktree's own path", async () => {
    const main = folder("code", "shop");
    const worktree = linkWorktree(main, folder("elsewhere", "fix-login"));
    const event = await settle(worktree);
    const isIn = (glob: string) =>
      findMismatch({ to: ["desk"], projects: [glob] } as unknown as Route, event) === undefined;
    expect([`${main}/**`, main, `${worktree}/**`, "/nowhere/**"].map(isIn)).toEqual([true, true, true, false]);
    const moved = await settle("/tmp", { session: "m", env: { CLAUDE_PROJECT_DIR: main } });
    expect(findMismatch({ to: [], projects: [`${main}/**`] } as unknown as Route, moved)).toBeUndefined();
  });

  test("open sessions in folders with the same name also show the parent folder", async () => {
    const [work, home] = [folder("work", "shop"), folder("home", "shop")];
    expect((await settle(work, { session: "a" })).project).toBe("shop");
    expect((await settle(home, { session: "b" })).project).toBe("home/shop");
    expect((await settle(work, { session: "a" })).project).toBe("work/shop");
    expect((await settle(work, { session: "c" })).project).toBe("work/shop");
    const alert = world.context.alerts.get(threadKey(await settle(home, { session: "b" })));
    if (alert) world.context.alerts.put({ ...alert, lastEvent: "SessionEnd" });
    expect((await settle(work, { session: "a" })).project).toBe("shop");
  });
});
