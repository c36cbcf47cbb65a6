import { spawnSync } from "node:child_process";
import fs, { linkSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import { observe } from "../../src/follow-up/observe.ts";
import { runBeckon, startServing } from "../../src/relay/connect-over-pipes.ts";
import { type Envelope, eventEnvelope, maxEnvelopeBytes, stateEnvelope, wireIds } from "../../src/relay/envelope.ts";
import { createRelay } from "../../src/relay/lazy-relay.ts";
import { Outbox } from "../../src/relay/outbox.ts";
import { send } from "../../src/relay/protocol.ts";
import { Received } from "../../src/relay/receive.ts";
import { relayFiles } from "../../src/relay/relay-status.ts";
import { newIdentity, seal, unseal } from "../../src/relay/seal.ts";
import { DeliveryWorld, makeConfig } from "../world/delivery-world.ts";
import { useFolder } from "../world/fresh-folder.ts";

test("a key press at the agent's terminal is reported to the user's machine once", async () => {
  const world = new DeliveryWorld();
  const paths = { relay: join(world.root, "relay") };
  const config = await makeConfig({ notifiers: { home: { type: "relay", via: "stdio" } } });
  const worker = world.worker(config);
  const context = { ...worker, ports: { ...worker.ports, relay: createRelay(paths) } };
  const request = { notification_type: "permission_prompt", message: "May I?" };
  world.take("one", { hook_event_name: "Notification", session_id: "s", cwd: "/home/me/shop", ...request });
  await world.drain(context);
  const { outbox } = relayFiles(paths);
  const sent = () =>
    readdirSync(outbox)
      .sort()
      .map((file) => JSON.parse(readFileSync(join(outbox, file), "utf8")));
  const [asked] = sent();
  expect(asked.type).toBe("io.beckon.agent.needs-you.v1");
  world.nowMs += 10_000;
  world.presence = { typedAtMs: world.nowMs - 1_000 };
  for (let look = 0; look < 3; look += 1) for (const alert of context.alerts.all()) await observe(alert, context);
  const [noticed, ...others] = sent();
  expect(noticed.data.states).toEqual([{ id: asked.id, state: "noticed", atMs: world.nowMs }]);
  expect(others).toEqual([asked]);
});

describe("outbox", () => {
  const at = useFolder();
  let outbox: Outbox;
  beforeEach(() => {
    outbox = new Outbox(at("outbox"));
  });

  const nowMs = Date.parse("2026-11-22T12:00:00Z");
  const dayMs = 24 * 3_600_000;
  const toWireId = (text: string) => wireIds(at("secret"))(text);
  const event = (changes: Partial<AgentEvent> = {}): AgentEvent => ({
    ...{ id: "one", atMs: nowMs, event: "Stop", nativeEvent: "Stop", agent: "claude", kind: "finished" },
    ...{ project: "shop", sessionId: "s-1", extra: { canary: true } },
    ...changes,
  });
  const buildEnvelope = (id: string, changes: Partial<AgentEvent> = {}): Envelope =>
    eventEnvelope(toWireId(id), "devbox", { event: event({ id, ...changes }), facts: {} });

  test("resolved alerts come first, then open ones, by time", () => {
    outbox.store(buildEnvelope("late", { atMs: nowMs + 5 }));
    outbox.store(buildEnvelope("done"));
    outbox.store(buildEnvelope("ask", { kind: "needs-you", atMs: nowMs + 9 }));
    const state = { id: toWireId("x"), state: "resolved", atMs: nowMs + 10, by: "seen" } as const;
    outbox.store(stateEnvelope(toWireId("state"), "devbox", [state]));
    expect(outbox.entries().map(({ id }) => id)).toEqual(["state", "ask", "done", "late"].map(toWireId));
  });

  test("a duplicate replaces itself, and an entry is read as it was put", () => {
    outbox.store(buildEnvelope("one"));
    outbox.store(buildEnvelope("one"));
    const [entry, ...others] = outbox.entries();
    expect(others).toEqual([]);
    expect(entry && outbox.read(entry)).toEqual(buildEnvelope("one"));
    expect(JSON.stringify(entry && outbox.read(entry))).not.toContain("canary");
  });

  test("files and folder are private", () => {
    outbox.store(buildEnvelope("one"));
    const [entry] = outbox.entries();
    expect(statSync(outbox.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(outbox.folder, entry?.file ?? "")).mode & 0o777).toBe(0o600);
    expect(statSync(at("secret")).mode & 0o777).toBe(0o600);
  });

  test("foreign files are ignored, and a torn entry yields no envelope", () => {
    outbox.store(buildEnvelope("one"));
    const [entry] = outbox.entries();
    if (!entry) throw new Error("nothing was put");
    writeFileSync(join(outbox.folder, "README"), "");
    writeFileSync(join(outbox.folder, entry.file), '{"specversion":"1.0"');
    expect(outbox.entries()).toHaveLength(1);
    expect(outbox.read(entry)).toBeUndefined();
  });

  test("entries and files of killed writers are deleted after eight days", () => {
    outbox.store(buildEnvelope("old", { atMs: nowMs - 8 * dayMs - 1 }));
    outbox.store(buildEnvelope("young", { atMs: nowMs - 8 * dayMs + 1 }));
    const [left, fresh] = ["left.json.1f.tmp", "fresh.json.2e.tmp"].map((file) => join(outbox.folder, file));
    for (const file of [left, fresh]) writeFileSync(file ?? "", "");
    utimesSync(left ?? "", nowMs / 1000 - 61, nowMs / 1000 - 61);
    utimesSync(fresh ?? "", nowMs / 1000 - 59, nowMs / 1000 - 59);
    outbox.sweep(nowMs);
    expect(outbox.entries().map(({ id }) => id)).toEqual([toWireId("young")]);
    expect([fs.existsSync(left ?? ""), fs.existsSync(fresh ?? "")]).toEqual([false, true]);
  });

  test("a full outbox says so, and the event waits in the spool", () => {
    mkdirSync(outbox.folder);
    const file = at("empty");
    writeFileSync(file, "");
    const name = (index: number) => `2-${String(index).padStart(16, "0")}-${toWireId("x")}.json`;
    for (let index = 0; index < 20_000; index += 1) linkSync(file, join(outbox.folder, name(index))); // quicker than as many files
    expect(() => outbox.store(buildEnvelope("one"))).toThrow(/20000 events wait already/);
  });

  test("the largest event fits, sealed, into an envelope", async () => {
    const long = "漢".repeat(300_000);
    const facts = { title: long, summary: long, lastMessage: long, stillRuns: long, branch: long };
    const longEvent = event({ message: long, lastMessage: long, reason: long, cwd: long, project: long });
    const { recipient } = await newIdentity();
    const sealed = await seal(eventEnvelope(toWireId("one"), "devbox", { event: longEvent, facts }), [recipient]);
    expect(Buffer.byteLength(JSON.stringify(sealed))).toBeLessThan(maxEnvelopeBytes);
  });

  test("an event sealed for several machines opens at each of them and at no other", async () => {
    const [mine, yours, nobody] = await Promise.all([newIdentity(), newIdentity(), newIdentity()]);
    const sealed = await seal(buildEnvelope("one"), [mine.recipient, yours.recipient]);
    expect(await unseal(sealed, mine.identity)).toEqual(buildEnvelope("one").data);
    expect(await unseal(sealed, yours.identity)).toEqual(buildEnvelope("one").data);
    await expect(unseal(sealed, nobody.identity)).rejects.toThrow("sealed for another key");
    await expect(unseal(sealed, undefined)).rejects.toThrow("no `relay.identity`");
  });

  test("received events are remembered across restarts, as perhaps stored, for nine days", () => {
    const first = new Received(at("received"), nowMs);
    first.markBegun("devbox", "r_1", nowMs);
    first.markBegun("devbox", "r_2", nowMs - 10 * dayMs);
    first.markStored("devbox", "r_1");
    expect([first.find("devbox", "r_1"), first.find("other", "r_1")]).toEqual(["stored", undefined]);
    const again = new Received(at("received"), nowMs);
    expect([again.find("devbox", "r_1"), again.find("devbox", "r_2")]).toEqual(["begun", undefined]);
    expect(readdirSync(at("received"))).toEqual(["2026-11-22"]);
  });

  test("a line torn by a full disk affects only itself", () => {
    mkdirSync(at("received"));
    writeFileSync(at("received", "2026-11-22"), "\ndevbox r_1\n\ndevb");
    new Received(at("received"), nowMs).markBegun("devbox", "r_2", nowMs);
    const again = new Received(at("received"), nowMs);
    expect(["r_1", "r_2"].map((id) => again.find("devbox", id))).toEqual(["begun", "begun"]);
  });
});

test("a hang-up of the other side while writing throws nothing", async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error("write EPIPE")) });
  broken.on("error", () => {});
  await send(broken, { ping: 1 });
  expect(broken.writable).toBe(false);
  await send(broken, { ping: 2 });
});

const alive = "-o ServerAliveInterval=5 -o ServerAliveCountMax=3";
const options = `-o BatchMode=yes -o ConnectTimeout=15 ${alive}`;
const own = "-oBatchMode=no -o ConnectTimeout=60";

test("the other end is started by the connecting command, and by a shell unless it names beckon", () => {
  const expected = {
    "ssh devbox": [`ssh -T ${options} devbox sh`, true],
    "/usr/bin/ssh -p 2222 ann@devbox": [`/usr/bin/ssh -T ${options} -p 2222 ann@devbox sh`, true],
    [`ssh ${own} devbox`]: [`ssh -T ${alive} ${own} devbox sh`, true],
    "docker exec -i box": ["docker exec -i box sh", true],
    "docker exec -i box beckon": ["docker exec -i box beckon relay serve --stdio", false],
    "my-tunnel beckon relay serve --stdio": ["my-tunnel beckon relay serve --stdio", false],
  };
  const started = Object.keys(expected).map((via) => {
    const { file, args, script } = startServing(via.split(" "));
    return [via, [[file, ...args].join(" "), script !== undefined]];
  });
  expect(Object.fromEntries(started)).toEqual(expected);
});

test("the script runs the installed beckon in any shell, with the input that follows", () => {
  const input = `BECKON_HOME=/nowhere; beckon() { :; }; PATH=/nowhere\n${runBeckon(["relay", "serve", "--stdio"])}`;
  const ended = ["sh", "bash", "dash"].map((shell) => spawnSync(shell, { input, encoding: "utf8" }));
  const notFound = { status: 127, stderr: expect.stringMatching(/beckon: .*not found/) };
  expect(ended).toMatchObject([notFound, notFound, notFound]);
});

describe("wire id", () => {
  const at = useFolder();
  const file = () => at("relay", "secret");

  test("an event has the same id each time, and another one at another machine", () => {
    const id = wireIds(file())("e-1");
    expect(id).toMatch(/^r_[A-Za-z0-9_-]{43}$/);
    expect(wireIds(file())("e-1")).toBe(id);
    expect(wireIds(file())("e-2")).not.toBe(id);
    expect(wireIds(at("other"))("e-1")).not.toBe(id);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(at("relay"))).toEqual(["secret"]);
  });

  test("an empty secret, as after a full disk, is replaced", () => {
    wireIds(file());
    writeFileSync(file(), "");
    const id = wireIds(file())("e-1");
    expect(readFileSync(file(), "utf8").trim()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(wireIds(file())("e-1")).toBe(id);
  });

  test("a process killed while creating the secret leaves no partial secret", () => {
    const module = new URL("../../src/relay/envelope.ts", import.meta.url).href;
    const program = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    fs.writeSync = () => process.kill(process.pid, "SIGKILL");
    syncBuiltinESMExports();
    const { wireIds } = await import(${JSON.stringify(module)});
    wireIds(${JSON.stringify(file())});`;
    const { signal } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
    expect(signal).toBe("SIGKILL");
    expect(wireIds(file())("e-1")).toBe(wireIds(file())("e-1"));
  });
});
