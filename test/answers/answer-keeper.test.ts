import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sendRequest } from "../../src/answers/requests.ts";
import { KeeperWorld } from "./keeper-world.ts";
import { allow, deny } from "./replies.ts";

const refused = deny("The user refused this.");
let world: KeeperWorld;
beforeEach(() => {
  world = new KeeperWorld();
});
afterEach(() => world.remove());

describe("a button", () => {
  test("answers its request once, and the hook's end is noticed", async () => {
    const id = await world.ask();
    const offer = world.offer(id);
    expect(offer?.lines).toEqual(["Bash: npm test"]);
    offer?.press(world.token(offer, "allow"));
    expect(world.take(id)).toBe(allow);
    world.poll();
    expect(world.files()).toEqual([`${id}.taken`]); // the hook may still read it
    await world.endHook();
    world.poll();
    expect(world.keeper.busy).toBe(false);
    expect(world.files()).toEqual([]);
    expect(world.statuses(id)).toEqual(["asked", "answered"]);
    expect(world.lines.at(-1)).toMatchObject({
      choice: "allow",
      via: "desk",
      waitedMs: 2_000,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("refuses with a constant reason", async () => {
    const id = await world.ask();
    const offer = world.offer(id);
    offer?.press(world.token(offer, "deny"));
    expect(world.answer(id)).toBe(refused);
  });

  test("has a token of 128 bits that is not on disk", async () => {
    const id = await world.ask();
    const tokens = world.offer(id)?.choices.map(({ token }) => token) ?? [];
    expect(tokens).toHaveLength(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
    expect(JSON.stringify([world.lines, world.keeper.open.get(id)?.event])).not.toMatch(new RegExp(tokens.join("|")));
  });
});

/** Attempts after which nothing may be allowed, each with the state of the request afterwards. */
const attempts: Readonly<Record<string, (id: string) => Promise<unknown> | unknown>> = {
  "the token of another request": async () => {
    const other = world.offer(await world.ask({ sessionId: "s2" }));
    const [id = ""] = world.keeper.open.keys();
    world.offer(id)?.press(world.token(other, "allow"));
  },
  "the token of another notifier": (id) => {
    const pager = world.offer(id, "pager");
    world.offer(id)?.press(world.token(pager, "deny"));
  },
  "a token with a changed letter": (id) => {
    const offer = world.offer(id);
    const token = world.token(offer, "allow");
    offer?.press(`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`);
  },
  "an empty token": (id) => world.offer(id)?.press(""),
  "the word allow": (id) => world.offer(id)?.press("allow"),
  "the token of an earlier worker": async (id) => {
    const old = world.offer(id);
    world.restart();
    const again = await world.ask();
    world.offer(again)?.press(world.token(old, "allow"));
    world.poll();
  },
  "a button within a second": (id) => {
    const ask = world.keeper.open.get(id);
    const offer = ask && world.keeper.offer(ask.event, "desk");
    offer?.markShown();
    world.clock.skip(999);
    offer?.press(world.token(offer, "allow"));
  },
  "a button of a message that was never visible": (id) => {
    const ask = world.keeper.open.get(id);
    const offer = ask && world.keeper.offer(ask.event, "desk");
    world.clock.skip(5_000);
    offer?.press(world.token(offer, "allow"));
  },
  "a button after the time": (id) => {
    const offer = world.offer(id);
    world.clock.skip(600_000);
    offer?.press(world.token(offer, "allow"));
  },
  "a button after the hook has ended": async (id) => {
    const offer = world.offer(id);
    await world.endHook();
    offer?.press(world.token(offer, "allow"));
  },
  "a button while answers are switched off": (id) => {
    const offer = world.offer(id);
    world.plant("off", JSON.stringify({ reason: "x", at: "x" }));
    offer?.press(world.token(offer, "allow"));
  },
  "a button whose right was taken away": (id) => {
    const offer = world.offer(id);
    world.settings.from = { desk: ["deny"] };
    offer?.press(world.token(offer, "allow"));
  },
  "a button after the setting was removed": (id) => {
    const offer = world.offer(id);
    world.isConfigured = false;
    world.poll();
    offer?.press(world.token(offer, "allow"));
  },
  "a button after a prompt": async (id) => {
    const offer = world.offer(id);
    await world.tell("UserPromptSubmit", { prompt: "go on" });
    offer?.press(world.token(offer, "allow"));
  },
  "a button after the turn's end": async (id) => {
    const offer = world.offer(id);
    await world.tell("Stop");
    offer?.press(world.token(offer, "allow"));
  },
  "a button after the session's end": async (id) => {
    const offer = world.offer(id);
    await world.tell("SessionEnd");
    offer?.press(world.token(offer, "allow"));
  },
  "a button after the session's next request": async (id) => {
    const offer = world.offer(id);
    await world.ask({ input: { command: "another" } });
    offer?.press(world.token(offer, "allow"));
  },
  "a button of a request that can only be denied": async () => {
    const id = await world.ask({ input: { command: "echo a\u200bb" }, sessionId: "s2" });
    const offer = world.offer(id);
    expect(offer?.choices.map(({ choice }) => choice)).toEqual(["deny"]);
    const [first = ""] = world.keeper.open.keys();
    offer?.press(world.token(world.offer(first), "allow"));
  },
  "an answer with another hash": async (id) => {
    world.clock.skip(2_000);
    await request(id, { hash: "0".repeat(64) });
  },
  "a request for another id": () => request("ask-99", {}),
  "a malformed request": () => {
    world.plant("abc.request", "{}");
    world.poll();
  },
  "a request with a choice that does not exist": async (id) => {
    world.plant(
      "abc.request",
      JSON.stringify({ pid: process.pid, ask: id, hash: hashes(id), choice: "always", via: "board" }),
    );
    world.poll();
  },
  "a request in the name of another process": (id) => {
    world.clock.skip(2_000);
    world.plant(
      "abc.request",
      JSON.stringify({ pid: process.ppid, ask: id, hash: hashes(id), choice: "allow", via: "board" }),
    );
    world.poll();
  },
  "a request of a process that does not keep it open": (id) => {
    world.clock.skip(2_000);
    world.plant(
      "abc.request",
      JSON.stringify({ pid: process.pid, ask: id, hash: hashes(id), choice: "allow", via: "board" }),
    );
    world.poll();
  },
  "a request at a terminal from a process without one": (id) => {
    world.clock.skip(2_000);
    return requestFrom(id, {}, "terminal");
  },
  "a request of an agent's child": async (id) => {
    world.clock.skip(2_000);
    await requestFrom(id, { CLAUDECODE: "1" }, "board");
  },
};

const hashes = (id: string) => world.keeper.open.get(id)?.hash ?? "";

/** Answers as the board does, from this process. */
async function request(id: string, changes: object) {
  const asked = { ask: id, hash: hashes(id), choice: "allow", via: "board", ...changes } as const;
  const sent = sendRequest(asked, world.paths, world.clock);
  world.poll();
  await world.clock.advance(20);
  return sent;
}

/** Answers from another process, with an environment of its own, in a session without a terminal. */
async function requestFrom(id: string, env: NodeJS.ProcessEnv, via: string): Promise<void> {
  const file = join(world.paths.asks, "abc.request");
  const body = JSON.stringify({ ask: id, hash: hashes(id), choice: "allow", via });
  const script = `const fs = require("node:fs");
    const descriptor = fs.openSync(${JSON.stringify(file)}, "wx", 0o600);
    fs.writeSync(descriptor, JSON.stringify({ ...${body}, pid: process.pid }));
    console.log("written");
    setInterval(() => {}, 1000);`;
  const child: ChildProcess = spawn(process.execPath, ["-e", script], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  if (child.stdout) await once(child.stdout, "data");
  world.poll();
  child.kill();
  await once(child, "exit");
}

test("nothing but the user's own answer allows a request", async () => {
  const allowed: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    world.remove();
    world = new KeeperWorld();
    const id = await world.ask();
    await attempt(id);
    const given = world.files().some((file) => world.answer(file) === allow);
    if (given || world.lines.some(({ status }) => status === "answered")) allowed.push(name);
  }
  expect(allowed).toEqual([]);
});

test("a request from the board, whose process keeps it open, is answered", async () => {
  const id = await world.ask();
  world.clock.skip(2_000);
  expect(await request(id, { choice: "deny", reason: 'Use "npm ci"\n\\ please' })).toEqual({
    isDone: true,
    text: "Denied.",
  });
  expect(world.take(id)).toBe(deny("Use 'npm ci' / please"));
  expect(await request(id, {})).toMatchObject({ isDone: false });
});

test("the first answer counts, and later ones are late", async () => {
  const id = await world.ask();
  const offer = world.offer(id);
  offer?.press(world.token(offer, "deny"));
  offer?.press(world.token(offer, "allow"));
  expect(world.take(id)).toBe(refused);
  offer?.press(world.token(offer, "allow"));
  expect(world.statuses(id)).toEqual(["asked", "answered", "late", "late"]);
});

describe("a well-formed answer that beckon did not give", () => {
  const isReported = (id: string) => {
    expect(world.statuses(id)).toContain("foreign");
    expect(world.files()).toContain("off");
  };

  test("is noticed while it lies there, and switches answers off", async () => {
    const id = await world.ask();
    world.plant(id, allow);
    world.poll();
    expect(world.answer(id)).toBe("");
    isReported(id);
    expect(world.statuses(await world.ask({ sessionId: "s2" }))).toEqual(["given-up"]);
  });

  test("is noticed after the hook has taken it", async () => {
    const id = await world.ask();
    world.plant(`${id}.taken`, allow);
    world.poll();
    isReported(id);
  });

  test("is noticed if it came before the worker knew the request", async () => {
    await world.ask();
    world.plant("ask-unknown.taken", allow);
    world.poll();
    isReported("ask-unknown");
  });

  test("is noticed in place of beckon's own", async () => {
    const id = await world.ask();
    const offer = world.offer(id);
    offer?.press(world.token(offer, "deny"));
    world.plant(id, allow);
    world.poll();
    isReported(id);
  });

  test("keeps beckon's own answer from its place", async () => {
    const id = await world.ask();
    const offer = world.offer(id);
    world.plant(id, refused);
    offer?.press(world.token(offer, "allow"));
    expect(world.answer(id)).toBe("");
    isReported(id);
  });

  test("is not one of an earlier worker, according to the journal", async () => {
    const id = await world.ask();
    const offer = world.offer(id);
    offer?.press(world.token(offer, "allow"));
    world.take(id);
    world.restart();
    await world.ask();
    world.poll();
    expect(world.statuses(id)).toEqual(["asked", "answered"]);
    expect(world.files()).not.toContain("off");
  });
});

test("a malformed file ends a request without an answer", async () => {
  const id = await world.ask();
  world.plant(id, "garbage");
  world.poll();
  expect(world.statuses(id)).toEqual(["asked", "given-up"]);
  expect(world.files()).not.toContain("off");
});

test("an answer that its hook does not take is removed", async () => {
  const id = await world.ask();
  const offer = world.offer(id);
  offer?.press(world.token(offer, "allow"));
  await world.endHook();
  world.poll();
  expect(world.answer(id)).toBeUndefined();
  expect(world.statuses(id)).toEqual(["asked", "answered", "late"]);
});

test("a session has at most three open requests", async () => {
  world.presence.now = { isLocked: true };
  for (let number = 0; number < 40; number += 1) await world.ask({ agentId: `sub-${number}` });
  expect(world.keeper.open.size).toBe(3);
  expect(world.statuses(await world.ask({ sessionId: "s2" }))).toEqual(["asked"]);
});

test("a session has at most twenty requests within ten minutes", async () => {
  const asked: string[] = [];
  for (let number = 0; number < 40; number += 1) asked.push(await world.ask({ input: { command: `echo ${number}` } }));
  expect(asked.filter((id) => world.statuses(id).includes("asked"))).toHaveLength(20);
  world.clock.skip(600_000);
  await world.tell("SessionEnd");
  expect(world.statuses(await world.ask())).toEqual(["asked"]);
});

describe("the user's presence", () => {
  const held = async (call: object, when: "away" | "always", now: object) => {
    world.settings.when = when;
    world.presence.now = now;
    return world.statuses(await world.ask(call)).join() === "asked";
  };

  test("decides if a request is held", async () => {
    const main = {};
    const background = { agentId: "a1" };
    expect(await held(main, "always", { idleMs: 0 })).toBe(true);
    expect(await held(main, "away", { idleMs: 0 })).toBe(false);
    expect(await held(main, "away", { idleMs: 180_000 })).toBe(true);
    expect(await held(main, "away", { isLocked: true, idleMs: 0 })).toBe(true);
    expect(await held(main, "away", {})).toBe(true);
    expect(await held(main, "away", { typedAtMs: world.clock.now() - 1_000 })).toBe(false);
    expect(await held(background, "always", { idleMs: 0 })).toBe(false);
    expect(await held(background, "always", {})).toBe(false);
    expect(await held(background, "always", { idleMs: 180_000 })).toBe(true);
  });

  test("releases a background agent's hook at a key in its terminal, not the main session's", async () => {
    world.presence.now = { isLocked: true };
    const [main, background] = [await world.ask(), await world.ask({ agentId: "a1" })];
    world.clock.skip(1_000);
    world.presence.typedAtMs = world.clock.now();
    world.poll();
    expect(world.statuses(main)).toEqual(["asked"]);
    expect(world.statuses(background)).toEqual(["asked", "given-up"]);
    expect(world.answer(background)).toBe("");
  });
});

test("a request that another worker had is given back", async () => {
  const id = await world.ask({}, { isNew: false });
  expect(world.statuses(id)).toEqual(["given-up"]);
  expect(world.answer(id)).toBe("");
});

test("the end of the worker gives everything back, and leaves no description", async () => {
  const ids = [await world.ask(), await world.ask({ sessionId: "s2" })];
  expect(world.files()).toEqual(["ask-1.json", "ask-2.json"]);
  world.keeper.endAll("the worker ended");
  expect(ids.map((id) => world.answer(id))).toEqual(["", ""]);
  expect(world.files()).toEqual(["ask-1", "ask-2"]);
});

test("a jump of the clock neither ends nor prolongs a wait, except that a late record waits less", async () => {
  const id = await world.ask();
  const offer = world.offer(id);
  world.clock.setBackByMs = 365 * 86_400_000;
  offer?.press(world.token(offer, "allow"));
  expect(world.answer(id)).toBe(allow);
});

test("a prompt about a permission belongs to the request that waits", async () => {
  const id = await world.ask();
  const ask = world.keeper.open.get(id);
  expect(ask && world.keeper.isAwaited({ ...ask.event, id: "other" })).toBe(true);
});
