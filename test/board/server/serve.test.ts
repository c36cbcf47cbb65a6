import { mkdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { alertFolder } from "../../../src/attention/alert-files.ts";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { FakeClock } from "../../world/fake-clock.ts";
import { useEach } from "../../world/use.ts";
import { sunday } from "../journal.ts";
import { ask, listen, serveHome } from "./board-server.ts";

const home = useCliHome();
const board = useEach("close", () => serveHome(home));

/** Serves a board of the home until the end of the test. */
async function serve(clock?: FakeClock, onDay?: () => void) {
  const served = await serveHome(home, clock, onDay);
  onTestFinished(() => served.close());
  return served;
}

const post = (path: string, body: unknown, more: Record<string, string> = {}) => {
  const headers = { "Content-Type": "application/json", Origin: new URL(board.url).origin, ...more };
  return ask(`${board.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
};

test("the server listens on loopback only, and its address has a token", async () => {
  expect(board.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/$/);
  const other = await serve();
  expect(new URL(other.url).pathname).not.toBe(new URL(board.url).pathname);
});

test("page, styles, script and icon are served, all under a policy without exceptions", async () => {
  const scripts = { "board.css": "text/css", "board.js": "text/javascript", "icon.svg?n=3": "image/svg+xml" };
  for (const [path, type] of Object.entries({ "": "text/html", ...scripts })) {
    const { status, headers } = await ask(`${board.url}${path}`);
    expect([path, status, headers["content-type"]]).toEqual([path, 200, `${type}; charset=utf-8`]);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*|nonce|data:|https?:/);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test("every request without the token or from elsewhere is forbidden, without side effects", async () => {
  const { origin, port, pathname } = new URL(board.url);
  const body = { key: "one" };
  const json = { "Content-Type": "application/json" };
  const read = (headers: Record<string, string>) => ask(board.url, { headers });
  const refused = {
    "another page's action": await post("seen", body, { Origin: "https://evil.example" }),
    "a hidden origin": await post("seen", body, { Origin: "null" }),
    "another name of the server": await post("seen", body, { Host: "evil.example" }),
    "an action without an origin": await ask(`${board.url}seen`, { method: "POST", headers: json, body: "{}" }),
    "a wrong token": await ask(`${origin}/wrong/`),
    "a longer token": await ask(`${origin}${pathname.slice(0, -1)}s/`),
    "no token": await ask(`${origin}/`),
    "an empty token": await ask(`${origin}//`),
    "a name rebound to this machine": await read({ Host: `evil.example:${port}` }),
    "another port": await read({ Host: `127.0.0.1:${Number(port) - 1}` }),
    "another origin that only reads": await read({ Origin: "http://localhost:3000" }),
    "another port of this machine": await read({ "Sec-Fetch-Site": "same-site" }),
    "a resource loaded by another site": await ask(`${board.url}board.js`, {
      headers: { "Sec-Fetch-Site": "cross-site" },
    }),
    "another page's stream": await ask(`${board.url}events`, { headers: { Origin: "https://evil.example" } }),
  };
  const answers = Object.entries(refused).map(([name, { status, text }]) => [name, status, text]);
  expect(answers).toEqual(answers.map(([name]) => [name, 403, "Forbidden"]));
  expect(board.asked).toEqual([]);
  const own = [{ Host: `localhost:${port}` }, { "Sec-Fetch-Site": "none" }, { "Sec-Fetch-Site": "same-origin" }];
  for (const headers of own) expect(await read(headers), JSON.stringify(headers)).toMatchObject({ status: 200 });
});

test("no permission request is answered without the token, from elsewhere, or with another choice", async () => {
  const { origin } = new URL(board.url);
  const body = { id: "one", hash: "0".repeat(64), choice: "allow" };
  const json = { "Content-Type": "application/json" };
  const forged = (url: string, headers: Record<string, string>) =>
    ask(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const replies = {
    "without the token": await forged(`${origin}/answer`, { Origin: origin }),
    "with another token": await forged(`${origin}/${"A".repeat(24)}/answer`, { Origin: origin }),
    "from another page": await post("answer", body, { Origin: "https://evil.example" }),
    "from a file": await post("answer", body, { Origin: "null" }),
    "without an origin": await forged(`${board.url}answer`, {}),
    "under another name": await post("answer", body, { Host: "evil.example" }),
    "across sites": await post("answer", body, { "Sec-Fetch-Site": "cross-site" }),
    "as a form": await post("answer", body, { "Content-Type": "application/x-www-form-urlencoded" }),
    "as a read": await ask(`${board.url}answer`, { headers: { Origin: origin } }),
    "with a third choice": await post("answer", { ...body, choice: "always" }),
    "with a changed input": await post("answer", { ...body, updatedInput: {} }),
    "without a hash": await post("answer", { id: "one", choice: "allow" }),
  };
  const statuses = Object.entries(replies).map(([how, { status }]) => [how, status]);
  const [forbidden, unknown] = [statuses.slice(0, 7), statuses.slice(7)];
  expect(forbidden).toEqual(forbidden.map(([how]) => [how, 403]));
  expect(unknown).toEqual(unknown.map(([how]) => [how, 404]));
  expect(board.asked).toEqual([]);
  await post("answer", body);
  expect(board.asked).toEqual([["answer allow", "one"]]);
});

test("the page's actions are carried out", async () => {
  expect((await post("seen", { key: "k1" })).text).toBe('{"isDone":true,"text":"seen done"}');
  await post("focus", { key: "k1" });
  await post("snooze", { time: "1h", key: "k1" });
  await post("test", { notifier: "desk" });
  const snooze = ["snooze", { time: "1h", key: "k1" }];
  expect(board.asked).toEqual([["seen", "k1"], ["focus", "k1"], snooze, ["test", "desk"]]);
});

test("an unknown action is not found, and an error says what is wrong", async () => {
  const replies = [
    await post("seen", { key: 1 }),
    await post("seen", { key: "k", more: 1 }),
    await post("toString", {}),
    await post("seen", { key: "x".repeat(9_000) }),
    await post("seen", { key: "k" }, { "Content-Type": "text/plain" }),
    await ask(`${board.url}../etc/passwd`),
  ];
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 403]);
  const { status, text } = await post("seen", { key: "gone" });
  const refusal = { isDone: false, text: "this session is no longer known. It is over" };
  expect([status, JSON.parse(text)]).toEqual([404, refusal]);
});

/** An open page of a board whose day is stopped, and its stopped clock. */
async function openPage() {
  const clock = new FakeClock();
  const nowMs = clock.now();
  clock.now = () => nowMs;
  const still = await serve(clock);
  const page = listen(`${still.url}events`);
  onTestFinished(page.close);
  await expect.poll(() => page.events.length).toBe(2);
  return { clock, page };
}

test("an open page gets new alerts at once, and nothing while nothing changes", async () => {
  mkdirSync(alertFolder(home.paths), { recursive: true });
  const { clock, page } = await openPage();
  const nowMs = clock.now();
  const open = concern("one", { atMs: nowMs - 60_000, event: { message: "<img src=x onerror=alert(1)>" } });
  writeAlerts(home, makeAlert({ lastAtMs: nowMs, concerns: [open] }));
  // After the file change signal, further changes are gathered for a moment, long before the next poll.
  await expect.poll(() => clock.nextMs, { interval: 10 }).toBe(20);
  await clock.advance(20);
  await expect.poll(() => page.events.length, { interval: 10 }).toBe(3);
  const { regions, count, title } = page.events[2] ?? { regions: {} };
  expect([Object.keys(regions), count, title]).toEqual([["waiting"], 1, "(1) beckon"]);
  expect(regions["waiting"]).toContain("&lt;img src=x onerror=alert(1)&gt;");
  await clock.advance(10_000); // the day's own wait, and polls without changes
  const other = makeAlert({ sessionId: "other", lastAtMs: nowMs, concerns: [concern("two", { atMs: nowMs })] });
  writeAlerts(home, other);
  await clock.advance(1_000);
  await expect.poll(() => page.events.some((event) => event.count === 2), { interval: 10 }).toBe(true);
  expect(page.events.flatMap((event) => event.count ?? [])).toEqual([0, 1, 2]);
  expect(page.events.length).toBeLessThanOrEqual(6); // each change is sent in two parts: waiting sessions, and the day
});

/** A hundred open pages of a board whose day takes some time to render, on its own clock. */
async function openHundred(renderMs: number) {
  const clock = new FakeClock();
  const busy = await serve(clock, () => clock.skip(renderMs));
  const pages = Array.from({ length: 100 }, () => listen(`${busy.url}events`));
  onTestFinished(() => {
    for (const page of pages) page.close();
  });
  await expect.poll(() => pages.every(({ events }) => events.length > 0)).toBe(true);
  return { clock, busy, pages };
}

test("a hundred pages opened at once render the day twice", async () => {
  const { clock, busy, pages } = await openHundred(0);
  await clock.advance(1_000);
  await expect.poll(() => pages.every(({ events }) => events.some(({ regions }) => "log" in regions))).toBe(true);
  expect(busy.dayReads()).toBeLessThanOrEqual(3);
});

test("a day that takes two seconds to render is rendered a fifth of the time at most", async () => {
  const { clock, busy, pages } = await openHundred(2_000);
  await clock.advance(60_000);
  await expect.poll(() => pages.every(({ events }) => events.some(({ regions }) => "log" in regions))).toBe(true);
  expect(busy.dayReads()).toBeLessThanOrEqual(7);
});

test("parallel requests for a page share one rendering, which is renewed after a moment", async () => {
  const clock = new FakeClock();
  const still = await serve(clock);
  const replies = await Promise.all(Array.from({ length: 100 }, () => ask(still.url)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  expect(still.dayReads()).toBe(1);
  await ask(`${still.url}?day=2026-11-01`);
  expect(still.dayReads()).toBe(2);
  clock.skip(1_000);
  await ask(`${still.url}?day=2026-11-01`);
  expect(still.dayReads()).toBe(3);
});

test("an open page gets a new journal within two seconds", async () => {
  const { clock, page } = await openPage();
  const stop = { event: "Stop", kind: "finished", agent: "claude", project: "shop" } as const;
  home.journal({ at: new Date(clock.now()).toISOString(), status: "accepted", ...stop });
  await clock.advance(2_000); // a poll finds the new folder, and the day has a wait of its own
  await expect.poll(() => page.events.length, { interval: 10 }).toBe(3);
  const regions = Object.keys(page.events[2]?.regions ?? {}).sort();
  expect(regions).toEqual(["agents", "figures", "lanes", "log", "projects"]);
});

test("the log can be searched in all months and filtered within a day", async () => {
  home.journal(...sunday);
  const ids = async (query: string) =>
    [...(await ask(`${board.url}log?${query}`)).text.matchAll(/data-event="(\w+)"/g)].map(([, id]) => id);
  expect(await ids("words=GIT+push")).toEqual(["n1"]);
  expect(await ids("words=shop+accepted&kind=finished")).toEqual(["f3", "f2", "f1", "old"]);
  expect(await ids("day=2026-11-22&agent=codex")).toEqual(["x1", "n3"]);
  expect(await ids("day=2026-11-22&kind=failed&project=shop")).toEqual([]);
  expect((await ask(`${board.url}event?id=n1`)).text).toContain("<h3>Story of n1</h3>");
  expect((await ask(`${board.url}event?id=n1`)).text).toContain("&lt;b&gt;b&lt;/b&gt;");
});
