import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spentText } from "../../src/board/format.ts";
import { startChromium } from "../report/browser.ts";
import { type AgentTerminals, agentTerminals } from "../world/agent-terminals.ts";
import { type DesktopSession, startDesktopSession } from "../world/desktop-session.ts";
import { createHome, dist, type Home, sleep } from "../world/home.ts";

// A user's evening with the page: real hooks, a real worker, a real notification daemon, real terminals and Chromium.

let session: DesktopSession;
let world: AgentTerminals;
let home: Home;
let browser: Browser;
let board: ChildProcess;
let url: string;
let page: Page;
const requests: string[] = [];
const complaints: string[] = [];
beforeAll(async () => {
  session = await startDesktopSession();
  world = agentTerminals({ ...session.env, TERM: "xterm-256color" });
  await world.startWindowManager();
  home = createHome("beckon-board");
  home.writeConfig({ notifiers: { desk: { type: "desktop" } }, delivery: { linger: "20s" } });
  browser = await startChromium();
  board = spawn(process.execPath, [join(dist, "cli.js"), "board"], { env: { ...session.env, ...buildEnv(home) } });
  const [output] = (await once(board.stdout ?? board, "data")) as [Buffer];
  url = output.toString().trim();
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.on("request", (request) => void requests.push(request.url()));
  page.on("console", (message) => void complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(String(error)));
  await page.goto(url);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  board?.kill();
  await home?.remove();
  await world?.stop();
  await session?.stop();
});

const buildEnv = ({ paths }: Home) => ({ BECKON_HOME: paths.root, HOME: paths.root });
const cwd = "/home/me/shop";

/** Runs a hook in another process, with an agent's input. */
function fire(event: string, sessionId: string, more: object = {}) {
  const payload = { hook_event_name: event, session_id: sessionId, cwd, ...more };
  return home.launch([event, "--agent", "claude"], JSON.stringify(payload), {
    env: { ...session.env, ...buildEnv(home) },
  });
}
const permission = (command: string) => ({ tool_name: "Bash", tool_input: { command } });
const row = (text: string) => page.locator(".wait", { hasText: text });

test("a permission request is on the open page within 300 ms", async () => {
  const tookMs: number[] = [];
  for (const command of ["npm run zero", "npm run one", "npm run two", "npm run three", "npm run four"]) {
    const shown = page.evaluate(
      `new Promise((resolve) => {
        const look = () => document.body.textContent.includes(${JSON.stringify(command)}) && resolve(Date.now());
        new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
      })`,
    );
    const firedAtMs = Date.now();
    await fire("PermissionRequest", command, permission(command));
    tookMs.push(Number(await shown) - firedAtMs);
    await sleep(1_200);
  }
  // The first one starts a worker.
  console.log(`on the page after ${tookMs.join(", ")} ms`);
  expect(Math.min(...tookMs), `ms: ${tookMs.join(", ")}`).toBeLessThan(300);
  expect(await page.title()).toBe("(5) beckon");
}, 60_000);

test("the page's waiting time runs", async () => {
  const clock = row("npm run two").locator(".clock");
  const before = await clock.textContent();
  await expect.poll(() => clock.textContent(), { timeout: 5_000 }).not.toBe(before);
  expect(await clock.textContent()).toMatch(/^(\d min )?\d+ s$/);
});

test("Seen resolves the request, and its notification disappears from the real daemon", async () => {
  await home.until((lines) => lines.filter(({ status }) => status === "sent").length === 5, 20_000);
  const before = await session.displayed();
  await row("npm run two").getByRole("button", { name: "Seen" }).click();
  await row("npm run two").waitFor({ state: "detached" });
  await expect.poll(() => session.displayed(), { timeout: 10_000 }).toBe(before - 1);
  await expect.poll(() => page.locator("#notice").textContent(), { timeout: 5_000 }).toContain("Seen: shop");
});

test("an answer moves the wait to the lane with the same length", async () => {
  await fire("UserPromptSubmit", "npm run three", { prompt: "yes" });
  await row("npm run three").waitFor({ state: "detached" });
  const [line] = await home
    .until((lines) => lines.some(({ resolvedBy }) => resolvedBy === "prompt"))
    .then((lines) => lines.filter(({ resolvedBy }) => resolvedBy === "prompt"));
  const waited = `waited ${spentText(line?.waitedMs ?? 0)}, `;
  const titles = () => page.locator("rect.waited title").allTextContents();
  await expect.poll(async () => (await titles()).filter((title) => title.startsWith(waited)).length).toBeGreaterThan(0);
});

test("Go to terminal brings the agent's window to the front", async () => {
  const script = join(world.folder, "payload.json");
  const payload = { hook_event_name: "PermissionRequest", session_id: "seat", cwd, ...permission("go there") };
  writeFileSync(script, JSON.stringify(payload));
  const hook = `BECKON_HOME=${home.paths.root} sh -c '${home.paths.launcher} PermissionRequest --agent claude || :' <${script}; sleep 600`;
  world.start("xterm", ["-T", "agent", "-e", ...world.buildCommand("agent", hook)]);
  await row("go there").waitFor();
  world.start("xterm", ["-T", "other"]);
  await world.raise("other");
  await row("go there").getByRole("button", { name: "Go to terminal" }).click();
  const activeTitle = async () => (await world.run("xdotool", ["getactivewindow", "getwindowname"])).trim();
  await expect.poll(activeTitle, { timeout: 10_000 }).toBe("agent");
}, 60_000);

test("an event's story opens on click, and stays open while the page changes", async () => {
  const first = page.locator("#log details").last();
  await first.locator("summary").click();
  await expect.poll(() => first.locator(".story").textContent()).toContain("What happened");
  await fire("Stop", "npm run one", {});
  await expect.poll(() => page.locator("#log details").count(), { timeout: 10_000 }).toBeGreaterThan(5);
  expect(await page.locator("#log details[open]").count()).toBe(1);
});

test("all requests go to the page's own origin, and the browser logs no errors", () => {
  expect(requests.length).toBeGreaterThan(3);
  expect(requests.filter((request) => !request.startsWith(url))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("without its server the page says that it may be old", async () => {
  board.kill();
  await page.locator("body.lost").waitFor();
  rmSync(home.paths.journal, { recursive: true, force: true });
});
