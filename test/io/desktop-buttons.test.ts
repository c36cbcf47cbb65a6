import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BusMessage, type BusValue, encodeMessage, messageTypes } from "../../src/io/bus-message.ts";
import { createSessionBusDesktop } from "../../src/io/desktop-session-bus.ts";
import { answerCalls, replyTo } from "../world/session-bus.ts";

let folder: string;
let server: Server;
let sockets: Socket[];
let actions: BusValue[];
let capabilities: string[];
let withReply: Buffer;
let reactions: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "beckon-buttons-"));
  [sockets, actions, reactions, capabilities, withReply] = [[], [], [], ["body", "actions"], Buffer.alloc(0)];
  server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    answerCalls(answer)(socket);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "bus"), resolve));
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

function answer(call: BusMessage): Buffer {
  if (call.member === "GetCapabilities") return replyTo(call, "as", capabilities);
  if (call.member !== "Notify") return replyTo(call, "s", ":1.7");
  actions.push(call.body[5] ?? "");
  return Buffer.concat([replyTo(call, "u", 1), withReply]);
}

function signalOf(member: string, body: readonly BusValue[], changes: Partial<BusMessage> = {}): Buffer {
  const name = "org.freedesktop.Notifications";
  const common = { type: messageTypes.signal, serial: 5, path: "/org/freedesktop/Notifications", sender: ":1.7" };
  const signature = typeof body[1] === "number" ? "uu" : "us";
  return encodeMessage({ ...common, interface: name, member, signature, body, ...changes });
}

const address = () => `unix:path=${join(folder, "bus").replaceAll("-", "%2d")}`;
const send = (signal: Buffer) => sockets.at(-1)?.write(signal);
const labels = { focus: "Go there", seen: "Seen" };
function show(isHeard = true) {
  const port = createSessionBusDesktop({ DBUS_SESSION_BUS_ADDRESS: address() });
  const buttons = { labels, onReaction: (reaction: string) => void reactions.push(reaction) };
  const texts = { title: "shop", body: "?", urgency: "normal", mask: (text: string) => text } as const;
  const { signal } = new AbortController();
  return () => port.notify({ ...texts, signal, ...(isHeard && { buttons }) });
}
const heard = (...expected: readonly string[]) => expect.poll(() => reactions).toEqual(expected);

test("a click goes there, the button says it is seen, and a bubble that is put away is closed; then nobody listens", async () => {
  await show()();
  expect(actions).toEqual([["default", "Go there", "seen", "Seen"]]);
  send(signalOf("ActionInvoked", [1, "seen"]));
  send(signalOf("ActionInvoked", [1, "default"]));
  send(signalOf("NotificationClosed", [1, 2]));
  await heard("seen", "focus", "closed");
  await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
});

test("what comes together with the id is heard", async () => {
  withReply = signalOf("ActionInvoked", [1, "default"]);
  await show()();
  await heard("focus");
});

test("another notification, another sender, another action, and a program that closes it say nothing", async () => {
  await show()();
  send(signalOf("ActionInvoked", [2, "seen"]));
  send(signalOf("ActionInvoked", [1, "seen"], { sender: ":1.8" }));
  send(signalOf("ActionInvoked", [1, "seen"], { interface: "org.example" }));
  send(signalOf("ActionInvoked", [1, "reboot"]));
  send(signalOf("NotificationClosed", [1, 3]));
  await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
  expect(reactions).toEqual([]);
});

test("of a notification that is replaced nothing more is heard", async () => {
  const notify = show();
  await notify();
  await notify();
  await expect.poll(() => sockets.at(0)?.closed).toBe(true);
  send(signalOf("ActionInvoked", [1, "seen"]));
  await heard("seen");
});

test.each<[string, boolean, string[]]>([
  ["nobody would hear it", false, ["actions"]],
  ["the service has none", true, ["body"]],
])("there are no buttons where %s, and nobody listens", async (_, isHeard, known) => {
  capabilities = known;
  await show(isHeard)();
  expect(actions).toEqual([[]]);
  await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
});

test("a process that has shown one ends while the notification stands", async () => {
  const module = join(import.meta.dirname, "../../src/io/desktop-session-bus.ts");
  const script = `
    import { createSessionBusDesktop } from ${JSON.stringify(module)};
    const buttons = { labels: { focus: "Go there", seen: "Seen" }, onReaction() {} };
    const signal = new AbortController().signal;
    await createSessionBusDesktop(process.env).notify({ title: "a", body: "b", urgency: "low", mask: String, signal, buttons });
    process.stdout.write("shown");`;
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address() };
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], { env });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const [exitCode] = await once(child, "close");
  expect([exitCode, printed, actions.length]).toEqual([0, "shown", 1]);
});
