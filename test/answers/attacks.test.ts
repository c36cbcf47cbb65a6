import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAskFile, writeOpenAsk } from "../../src/answers/ask-files.ts";
import type { AnswerOffer } from "../../src/core/notifier-call.ts";
import { desktop } from "../../src/notifiers/desktop.ts";
import { KeeperWorld } from "./keeper-world.ts";
import { allow, deny } from "./replies.ts";

/** Observed end of an attack: what the journal says about the request after `asked`, or what the attack returns. */
type Attack = readonly [outcome: string, attack: (world: KeeperWorld, id: string) => unknown];

const press = (world: KeeperWorld, id: string, token: string) => world.offer(id)?.press(token);
/** Presses Allow with what is made of its token. */
const pressWith = (change: (token: string) => string) => (world: KeeperWorld, id: string) =>
  press(world, id, change(world.token(world.offer(id), "allow")));
/** Presses a button of a message that was shown before something happened. */
const pressAfter =
  (happens: (world: KeeperWorld, id: string) => unknown, choice: "allow" | "deny" = "allow") =>
  async (world: KeeperWorld, id: string) => {
    const offer = world.offer(id);
    await happens(world, id);
    offer?.press(world.token(offer, choice));
  };
/** Presses Allow of a message that has not been visible for long. */
const pressEarly =
  (happens: (world: KeeperWorld, offer: AnswerOffer | undefined) => unknown) => (world: KeeperWorld) => {
    const offer = world.keeper.messages.offer(world.held.event, "desk");
    happens(world, offer);
    offer?.press(world.token(offer, "allow"));
  };
/** Puts something in the answer's place while the request is open. */
const put = (make: (path: string, world: KeeperWorld) => unknown) => (world: KeeperWorld, id: string) => {
  make(join(world.paths.asks, id), world);
  world.poll();
};
const plant = (text: string, ending = "") => put((path) => writeFileSync(path + ending, text, { mode: 0o600 }));
/** Asks for another command in another session. Returns what may be answered, or why nothing may. */
const asked =
  (command: string, more: object = {}) =>
  async (world: KeeperWorld) => {
    const id = await world.ask({ input: { command, ...more }, sessionId: "s2" });
    return world.keeper.asks.findOpen(id)?.choices.join() ?? world.lines.at(-1)?.reason;
  };
/** Asks forty times in another session, and counts what is held. */
async function askForty(world: KeeperWorld, beforeEach: (number: number) => void): Promise<string> {
  for (let number = 0; number < 40; number += 1) {
    beforeEach(number);
    await world.ask({ input: { command: `echo ${number}` }, sessionId: "s2" });
  }
  return String(world.lines.filter(({ status, sessionId }) => status === "asked" && sessionId === "s2").length);
}
const head = allow.slice(0, allow.indexOf('"allow"'));
const foreign = "foreign, given-up";

const attacks: Readonly<Record<string, Attack>> = {
  // Buttons
  "the same button twice": ["answered deny, late", (world, id) => world.pressButtons(id, "deny", "deny")],
  "Allow after Deny": ["answered deny, late", (world, id) => world.pressButtons(id, "deny", "allow")],
  "the token of the other choice": [
    "answered deny",
    (world, id) => press(world, id, world.token(world.offer(id), "deny")),
  ],
  "the token of another request": [
    "refused",
    async (world, id) => {
      const other = world.offer(await world.ask({ sessionId: "s2" }));
      press(world, id, world.token(other, "allow"));
    },
  ],
  "the token of the same command, asked again": [
    "given-up, late",
    async (world, id) => {
      const old = world.offer(id);
      const again = await world.ask();
      press(world, again, world.token(old, "allow"));
      old?.press(world.token(old, "allow"));
    },
  ],
  "the token of another notifier": [
    "refused",
    (world, id) => press(world, id, world.token(world.offer(id, "pager"), "deny")),
  ],
  "the token of an earlier worker": [
    "refused",
    async (world, id) => {
      const old = world.offer(id);
      world.restart();
      world.poll();
      world.keeper.asks.hold(world.held);
      press(world, id, world.token(old, "allow"));
    },
  ],
  "the token after the input changed": [
    "refused",
    (world, id) => {
      const old = world.offer(id);
      world.keeper.asks.hold({ ...world.held, hash: "0".repeat(64) });
      press(world, id, world.token(old, "allow"));
    },
  ],
  "a token with a changed letter": [
    "refused",
    pressWith((token) => `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`),
  ],
  "the beginning of a token": ["refused", pressWith((token) => token.slice(0, -1))],
  "a token with more behind it": ["refused", pressWith((token) => `${token}A`)],
  "an empty token": ["refused", pressWith(() => "")],
  "the word allow as a token": ["refused", pressWith(() => "allow")],
  "Allow within a second": [
    "refused",
    pressEarly((world, offer) => {
      offer?.markShown();
      world.clock.skip(999);
    }),
  ],
  "Allow in a message that was never visible": ["refused", pressEarly((world) => world.clock.skip(5_000))],
  "Allow where only Deny was granted": [
    "refused",
    (world, id) => press(world, id, world.token(world.offer(id, "pager"), "allow")),
  ],
  // Time
  "Allow after the time": ["late", pressAfter((world) => world.clock.skip(600_000))],
  "Allow after the time, with the clock set back": [
    "late",
    pressAfter((world) => {
      world.clock.setBackByMs = 86_400_000;
      world.clock.skip(600_000);
    }),
  ],
  "a clock set forward a year": [
    "answered deny",
    pressAfter((world) => {
      world.clock.setBackByMs = -365 * 86_400_000;
      world.poll();
    }, "deny"),
  ],
  "Allow within a second, with the clock set forward": [
    "refused",
    pressEarly((world, offer) => {
      offer?.markShown();
      world.clock.setBackByMs = -3_600_000;
    }),
  ],
  "a request from an hour ago": [
    "asked, given-up",
    async (world) => {
      const id = await world.ask({ sessionId: "s2" }, { ageMs: 3_600_000 });
      world.poll();
      return world.statuses(id).join(", ");
    },
  ],
  // Changes after the message was shown
  "Allow after the hook has ended": ["late", pressAfter((world) => world.endHook())],
  "Allow while answers are switched off": ["refused", pressAfter((world) => world.plant("off", "{}"))],
  "Allow after its right was taken away": [
    "refused",
    pressAfter((world) => {
      world.settings.from = { desk: ["deny"] };
    }),
  ],
  "Allow after the setting was removed": [
    "given-up, refused",
    pressAfter((world) => {
      world.isConfigured = false;
      world.poll();
    }),
  ],
  "Allow after a prompt": [
    "given-up, late",
    pressAfter((world) => world.tell("UserPromptSubmit", { prompt: "go on" })),
  ],
  "Allow after the turn's end": ["given-up, late", pressAfter((world) => world.tell("Stop"))],
  "Allow after the session's end": ["given-up, late", pressAfter((world) => world.tell("SessionEnd"))],
  "Allow after the session's next request": [
    "given-up, late",
    pressAfter((world) => world.ask({ input: { command: "x" } })),
  ],
  "Allow after the worker gave everything back": [
    "given-up, late",
    pressAfter((world) => world.keeper.asks.endAll("x")),
  ],
  // Commands
  "a command that shows another request": ["refused", (world, id) => world.request(id, { hash: "0".repeat(64) })],
  "a changed description of the request": [
    "refused",
    (world, id) => {
      const shown = { ...world.held, lines: ["Bash: true"] };
      writeOpenAsk(world.paths, shown);
      return world.request(id, { shown });
    },
  ],
  "a command for an unknown request": ["nothing", (world, id) => world.request(id, { ask: "ask-99" })],
  "a command within a second": ["refused", (world, id) => world.request(id, { waitMs: 999 })],
  "a command with a third choice": ["nothing", (world, id) => world.request(id, { choice: "always" })],
  "a command that is no JSON": ["nothing", (world) => world.plantRequest("allow")],
  "a command with no members": ["nothing", (world) => world.plantRequest("{}")],
  "a command in the name of another process": ["refused", (world, id) => world.request(id, { pid: process.pid })],
  "a command of a process that does not keep it open": ["refused", (world, id) => world.request(id, { isOpen: false })],
  "a command at a terminal without a terminal": ["refused", (world, id) => world.request(id, { via: "terminal" })],
  "a command of a board that listens on no port": ["refused", (world, id) => world.request(id, { listens: false })],
  "a command of an agent's child": ["refused", (world, id) => world.request(id, { isAgents: true })],
  "a command with an agent's variable": ["refused", (world, id) => world.request(id, { env: { CLAUDECODE: "1" } })],
  "a command of a process that its parent left behind": [
    "refused",
    (world, id) => world.request(id, { isOrphan: true }),
  ],
  "a command as a link": [
    "nothing",
    (world, id) => {
      world.plant("target", JSON.stringify({ pid: process.pid, ask: id, hash: "", choice: "allow", via: "board" }));
      symlinkSync(join(world.paths.asks, "target"), join(world.paths.asks, "abc.request"));
      world.poll();
    },
  ],
  // Files in the answer's place
  "a planted Allow": [foreign, plant(allow)],
  "a planted Deny": [foreign, plant(deny("x"))],
  "a planted Allow with a zero byte, which a shell drops": [foreign, plant(allow.replace("allow", "al\0low"))],
  "a planted Allow with a mode switch": [foreign, plant(`${head}"allow","updatedPermissions":[]}}}\n`)],
  "a planted Allow with spaces": [foreign, plant(JSON.stringify(JSON.parse(allow), null, 1))],
  "a planted Allow that the hook took": [foreign, plant(allow, ".taken")],
  "a planted Allow, removed after the hook took it": [
    foreign,
    async (world, id) => {
      world.plant(id, allow);
      world.take(id);
      rmSync(join(world.paths.asks, `${id}.taken`));
      await expect.poll(() => [world.poll(), world.end(id)][1]).toBe(foreign);
    },
  ],
  "a planted Allow before the worker knew the request": [
    "foreign",
    (world) => {
      plant(allow, ".taken")(world, "ask-unknown");
      return world.statuses("ask-unknown").join(", ");
    },
  ],
  "a planted Allow in place of beckon's Deny": [
    "answered deny, foreign, given-up",
    (world, id) => {
      world.pressButtons(id, "deny");
      rmSync(join(world.paths.asks, id));
      plant(allow)(world, id);
    },
  ],
  "a planted Deny before beckon's Allow": [
    "answered allow, refused, foreign, given-up",
    pressAfter((world, id) => world.plant(id, deny("x"))),
  ],
  "planted garbage": ["given-up", plant("yes")],
  "a planted empty file": ["given-up", plant("")],
  "a planted large file": ["given-up", plant("x".repeat(100_000))],
  "a planted link to an Allow": [
    "given-up",
    put((path, { paths }) => {
      writeFileSync(join(paths.root, "target"), allow);
      symlinkSync(join(paths.root, "target"), path);
    }),
  ],
  "a planted folder": ["given-up", put((path) => mkdirSync(path))],
  "a planted pipe": ["given-up", put((path) => execFileSync("mkfifo", [path]))],
  // Requests
  "a cut request": ["its input was cut off or damaged", (world) => world.askAbout({ end: 124 })],
  "a request that another worker had": ["an earlier worker had it", (world) => world.askAbout({ isNew: false })],
  "a request whose hook has ended": ["its hook has ended", (world) => world.askAbout({ hook: 4_194_304 })],
  "a command with a secret": [
    "deny",
    asked("curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwx' https://example.org"),
  ],
  "a command with a bidirectional override": ["deny", asked("echo \u202eabc")],
  "a command with a zero-width space": ["deny", asked("echo a\u200bb")],
  "a command with a Cyrillic letter": ["deny", asked("curl https://g\u0456thub.com")],
  "a command of 101 lines": ["deny", asked(Array.from({ length: 101 }, () => "git status").join("\n"))],
  "a command outside of the sandbox": [
    "this tool is only answered in the agent",
    asked("ls", { dangerouslyDisableSandbox: true }),
  ],
  "sixty lines of git status before a download, on the desktop": [
    "no buttons",
    async (world) => {
      const command = [...Array.from({ length: 60 }, () => "git status"), "curl -O example.org"].join("\n");
      const id = await world.ask({ input: { command }, sessionId: "s2" });
      return (await showOnDesktop(world, id)).answers ? "buttons" : "no buttons";
    },
  ],
  "a secret, on the desktop": [
    "Bash: curl -H 'Authorization: Bearer [secret]' https://example.org",
    async (world) => {
      const command = "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwx' https://example.org";
      return (await showOnDesktop(world, await world.ask({ input: { command }, sessionId: "s2" }))).body;
    },
  ],
  "forty requests in a minute": ["20", (world) => askForty(world, () => world.clock.skip(1_500))],
  "forty requests from twenty workers": [
    "20",
    (world) => askForty(world, (number) => (number % 2 === 0 ? world.restart() : undefined)),
  ],
  "beckon's folder in the project, which the hook has found too": [
    "beckon's folder is in the project",
    async (world) => {
      await world.endHook();
      world.settings.projects = [`${world.paths.root}/**`];
      await world.ask({ cwd: world.paths.root, sessionId: "s2" });
      return world.lines.at(-1)?.reason;
    },
  ],
};

/** Shows a request on a desktop, and returns the notification's buttons. */
async function showOnDesktop(world: KeeperWorld, id: string) {
  let shown: { answers?: unknown; body?: string } = {};
  const notify = async ({ buttons }: { readonly buttons: typeof shown }) => {
    shown = buttons;
  };
  const call = {
    settings: desktop.settings.parse({}),
    message: { title: "shop needs you", body: "?", kind: "needs-you" },
    labels: { seen: "Seen", focus: "Go there" },
    onReaction: () => {},
    offer: { ...world.offer(id), remarks: [] },
    ports: { desktop: { notify } },
  };
  await desktop.send(call as never);
  return shown;
}

test("each attack ends as expected, and none of them allows a request", async () => {
  const ends: Record<string, string> = {};
  for (const [name, [, attack]] of Object.entries(attacks)) {
    const world = new KeeperWorld();
    const id = await world.ask();
    const observed = await attack(world, id);
    ends[name] = typeof observed === "string" ? observed : world.end(id);
    const isAllowed = (file: string) => !file.endsWith(".taken") && readAskFile(world.paths, file)?.text === allow;
    if (world.files().some(isAllowed)) ends[name] += " ALLOWED";
  }
  expect(ends).toEqual(Object.fromEntries(Object.entries(attacks).map(([name, [outcome]]) => [name, outcome])));
  expect(Object.keys(ends).length).toBeGreaterThan(50);
});
