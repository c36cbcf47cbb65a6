import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { noteEvent } from "../../src/attention/note-event.ts";
import { threadKey } from "../../src/attention/session-keys.ts";
import type { Route } from "../../src/config/config.ts";
import { projectVariables } from "../../src/core/project-variables.ts";
import { settleProject } from "../../src/pipeline/look-up.ts";
import { findMismatch } from "../../src/pipeline/route.ts";
import { AttentionWorld } from "../world/attention-world.ts";
import { parsed } from "../world/parsed.ts";

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
