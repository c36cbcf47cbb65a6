import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { alertFolder, readAlerts } from "../../src/attention/alert-files.ts";
import { readRelayStatus } from "../../src/relay/relay-status.ts";
import { useHomes } from "../world/two-homes.ts";

const homes = useHomes();

/**
 * Writes a program for the other end that performs beckon's handshake and then misbehaves as `does` says. Returns the
 * words that start it.
 */
function stranger(does: string, clockMs = 0): string[] {
  const file = join(homes.desk.paths.root, `stranger-${Math.random().toString(36).slice(2)}.mjs`);
  const handshake = JSON.stringify({ beckon: 1, version: "9.9.9", nowMs: Date.now() + clockMs });
  writeFileSync(
    file,
    `const say = (line) => process.stdout.write((typeof line === "string" ? line : JSON.stringify(line)) + "\\n");
say(${JSON.stringify(handshake)});
process.stdin.once("data", () => { ${does} });
setInterval(() => {}, 1000);
process.stdin.on("end", () => process.exit());`,
  );
  return [process.execPath, file, "relay", "serve", "--stdio"];
}

const id = (letter: string) => `r_${letter.repeat(43)}`;
const envelope = (changes: object = {}, data: object = {}) => ({
  ...{ specversion: "1.0", id: id("a"), source: "beckon://desk", type: "io.beckon.agent.needs-you.v1" },
  ...{ time: new Date().toISOString(), subject: "s", datacontenttype: "application/json" },
  data: { event: "Notification", nativeEvent: "Notification", agent: "claude", project: "shop", session: {}, ...data },
  ...changes,
});
const sends = (...envelopes: readonly object[]) =>
  envelopes.map((entry) => `say(${JSON.stringify({ envelope: entry })});`).join("");

/** Connects to these strangers, by host name. */
function connect(strangers: Readonly<Record<string, string>>): void {
  homes.configureDesk(Object.entries(strangers).map(([host, does]) => ({ via: stranger(does), host })));
  homes.receive();
}

const problem = () => readRelayStatus(homes.desk.paths, Date.now())?.links[0]?.problem;
const alerts = () => readAlerts(alertFolder(homes.desk.paths));

test("a machine has its local name, whatever it says, and its paths and processes are plain text", async () => {
  const claims = {
    ...{ host: "desk", isRelayed: false, cwd: "/etc", transcriptPath: "/etc/shadow", processes: [1, process.pid] },
    ...{ terminal: { TMUX: "/tmp/evil,1,0" }, session: { title: "\u001b[2J" } },
    message: "\u001b]0;owned\u0007May \u202eI? \u001b[31m<b>@everyone</b>",
  };
  connect({ devbox: sends(envelope({}, claims)) });
  await homes.until(() => homes.notifications().length === 1);
  const title = "shop@devbox · Claude Code needs you";
  expect(homes.notifications()[0]).toMatchObject({ title, message: "May I? <b>@everyone</b>", cwd: "/etc" });
  expect(alerts()).toMatchObject([{ host: "devbox", isRelayed: true }]);
  const [alert] = alerts();
  expect(Object.keys(alert ?? {})).not.toEqual(expect.arrayContaining(["processes"]));
  expect(JSON.stringify(alert)).not.toMatch(/shadow|evil|processes/);
});

test.each([
  ["a beckon status event", envelope({}, { event: "Seen" }), /data.*event: must not be an internal event/],
  ["an unknown kind", envelope({ type: "io.beckon.agent.root.v1" }), /what its type says: type/],
  ["an invalid time", envelope({ time: "yesterday" }), /time/],
  ["an event without an agent", envelope({}, { agent: 7 }), /agent/],
  ["invalid data", envelope({ data: "rm -rf /" }), /not what its type says: it: /],
  ["data falsely marked as sealed", envelope({ data: undefined, data_base64: "AAAA" }), /relay.sealed/],
])("%s is refused, as the journal says", async (_, sent, reason) => {
  connect({ devbox: sends(sent) });
  await homes.until(() => homes.deskJournal().length > 0);
  expect(homes.deskJournal()).toMatchObject([{ id: id("a"), host: "devbox", status: "rejected" }]);
  expect(homes.deskJournal()[0]?.reason).toMatch(reason);
  await expect.poll(() => homes.desk.spooled()).toEqual([`dead/${id("a")}.json`]); // which is moved afterwards
});

test("a malformed id never becomes a file name", async () => {
  const bad = ["../../../evil", "b6de1afc-3845-47c6-8e6f-e92a02482d7d", "", "r_short"].map((id) => envelope({ id }));
  connect({ devbox: sends(...bad, envelope()) });
  await homes.until(() => homes.notifications().length === 1 && homes.deskJournal().length > 1);
  expect(homes.deskJournal().map((line) => line.id)).toEqual([id("a"), id("a")]);
});

test("an endless line costs the connection and little memory", async () => {
  connect({
    devbox: `const part = "x".repeat(1 << 20); let n = 0; const more = () => { while (n++ < 100) if (!process.stdout.write(part)) return process.stdout.once("drain", more); }; more();`,
  });
  await homes.until(() => problem() !== undefined);
  expect(problem()).toBe("a line is longer than 256 KiB");
  const pid = readRelayStatus(homes.desk.paths, Date.now())?.pid;
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  expect(peakKb).toBeLessThan(200 * 1024);
});

test("more data than requested costs the connection", async () => {
  // A full spool stores nothing, however fast this machine is, so everything has to wait.
  for (let number = 0; number < 500; number += 1)
    writeFileSync(join(homes.desk.paths.spool, "new", `waits-${number}`), "");
  const stop = { event: "Stop", nativeEvent: "Stop" };
  const sent = JSON.stringify(envelope({ type: "io.beckon.agent.finished.v1" }, stop));
  connect({
    devbox: `for (let n = 0; n < 500; n++) say({ envelope: { ...${sent}, id: "r_" + String(n).padStart(43, "0") } });`,
  });
  await homes.until(() => problem() !== undefined);
  expect(problem()).toBe("it sends more than it was asked for");
});

test("a machine cannot change another's events", async () => {
  const state = { id: id("a"), state: "resolved", atMs: Date.now(), by: "seen" };
  const over = envelope({ id: id("b"), type: "io.beckon.agent.state.v1", data: { states: [state] } });
  const devbox = { via: stranger(sends(envelope())), host: "devbox" };
  homes.configureDesk([devbox]);
  homes.receive();
  await homes.until(() => homes.notifications().length === 1);
  // The worker is done with this once its own next event is sent.
  const follows = `process.stdin.on("data", (words) => { if (String(words).includes("${id("b")}")) { ${sends(envelope({ id: id("c") }))} } });`;
  homes.configureDesk([devbox, { via: stranger(`${follows} ${sends(over)}`), host: "evil" }]);
  await homes.until(() => homes.notifications().length === 2);
  const states = alerts().flatMap(({ host, concerns }) => concerns.map(({ state }) => [host, state]));
  expect(states.toSorted()).toEqual(["devbox", "evil"].map((host) => [host, "ringing"]));
});

test("login text before the handshake is ignored", async () => {
  connect({ devbox: `say("Welcome to devbox!"); say("{ not json"); say({ some: "other" }); ${sends(envelope())}` });
  await homes.until(() => homes.notifications().length === 1);
});

test("a machine with another protocol is distinguished from an unreachable one", async () => {
  const newerSays = `console.log('{"beckon":7,"version":"9","nowMs":1}');setTimeout(()=>{},9e9)`;
  const newer = [process.execPath, "-e", newerSays, "relay", "serve", "--stdio"];
  homes.configureDesk([
    { via: newer, host: "newer" },
    { via: ["/no/such/program"], host: "gone" },
  ]);
  homes.receive();
  const problems = () => readRelayStatus(homes.desk.paths, Date.now())?.links.map((link) => link.problem) ?? [];
  await homes.until(() => problems().filter(Boolean).length === 2);
  expect(problems()).toEqual([
    "its beckon 9 speaks another language; upgrade the older one of the two",
    "program could not be started (ENOENT)",
  ]);
});

test.each([-3_600_000, 3_600_000])("a machine whose clock is ahead by %i ms rings on time", async (clockMs) => {
  const time = new Date(Date.now() + clockMs).toISOString();
  homes.configureDesk([{ via: stranger(sends(envelope({ time })), clockMs), host: "devbox" }]);
  homes.receive();
  await homes.until(() => homes.notifications().length === 1 && alerts().length === 1);
  const [alert] = alerts();
  expect(Math.abs((alert?.lastAtMs ?? 0) - Date.now())).toBeLessThan(20_000);
});

test("a machine that floods with unreadable data is disconnected, and leaves few records", async () => {
  const bad = JSON.stringify(envelope({ time: "yesterday", pad: "x".repeat(100_000) }));
  connect({
    devbox: `for (let n = 0; n < 60; n++) say({ envelope: { ...${bad}, id: "r_" + String(n).padStart(43, "0") } });`,
  });
  await homes.until(() => problem() !== undefined);
  expect(problem()).toBe("it sends too much that cannot be read");
  expect(homes.deskJournal().filter(({ status }) => status === "rejected").length).toBe(11);
  expect(homes.desk.spooled().length).toBe(10);
});

test("a machine over its limit rings 30 times, then once to say so; programs get every event", async () => {
  const flood = Array.from({ length: 40 }, (_, number) =>
    envelope({ id: `r_${String(number).padStart(43, "0")}`, subject: `s${number}` }, { session: { id: `s${number}` } }),
  );
  const all = join(homes.desk.paths.root, "all.jsonl");
  const phone = join(homes.desk.paths.root, "phone.jsonl");
  const notifiers = { phone: { type: "file", path: phone, for: "person" }, log: { type: "file", path: all } };
  homes.configureDesk([{ via: stranger(sends(...flood)), host: "devbox" }], { notifiers });
  homes.receive();
  const skipped = () => homes.deskJournal().filter(({ status }) => status === "skipped");
  const count = (notifier: string) =>
    homes.deskJournal().filter((line) => line.status === "sent" && line.notifier === notifier).length;
  await homes.until(() => skipped().length === 10 && count("log") === 40 && count("phone") === 31);
  expect(skipped()[0]?.reason).toBe("devbox calls more than 30 times a minute");
  const lines = readFileSync(phone, "utf8").split("\n");
  expect(lines.filter((line) => line.includes("devbox calls very often")).length).toBe(1);
});
