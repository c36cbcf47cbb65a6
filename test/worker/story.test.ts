import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { sampleSessionPrefix } from "../../src/attention/session-memory.ts";
import { keys } from "../../src/fake-service/access.ts";
import type { ReactionWorld } from "../notifiers/contract/describe-reactions.ts";
import { type NtfyServer, startNtfyServer } from "../notifiers/ntfy-server.ts";
import { startPushoverServer } from "../notifiers/pushover-server.ts";
import { startTelegramServer } from "../notifiers/telegram-server.ts";
import { openReceiver, type Receiver } from "../world/receiver.ts";
import { startSandbox } from "../world/service/server.ts";
import { useEach } from "../world/use.ts";
import { WorkerWorld } from "../world/worker-world.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures");
const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=";

let world: WorkerWorld;
let receiver: Receiver | undefined;
beforeEach(() => {
  world = new WorkerWorld();
  world.answerToAll = {};
  vi.stubEnv("HOME", world.paths.root);
  receiver = undefined;
});

/** Starts one receiver for all webhooks, and a worker. */
async function listen(more: object = {}, script?: Parameters<typeof openReceiver>[0]): Promise<Receiver> {
  receiver = await openReceiver(script);
  configure(receiver.url, more);
  void world.start();
  return receiver;
}

function configure(url: string, { delivery = {}, ...more }: { readonly delivery?: object } = {}): void {
  const notifiers = { hook: { type: "webhook", url, secret } };
  world.writeConfig({ notifiers, delivery: { linger: "1h", retryDelays: ["300ms"], ...delivery }, ...more });
}

const stop = (session = "s1", message = "All done: the file was reviewed.") =>
  world.fire({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop", last_assistant_message: message });
const bodies = () => (receiver?.accepted ?? []).map(({ body }) => JSON.parse(body).data);
const isSent = ({ status }: { readonly status: string }) => status === "sent";

test("a Retry-After pause applies to the receiver's other events and to the next worker", async () => {
  await listen({}, [{ status: 429, headers: { "retry-after": "3" } }, { status: 200 }]);
  stop("first");
  await world.until((journal) => journal.some(({ status }) => status === "retrying"));
  await world.stop();
  stop("second");
  void world.start();
  const journal = await world.until((lines) => lines.filter(isSent).length === 2);
  expect(receiver?.received).toHaveLength(3);
  const refusedAtMs = Date.parse(journal.find(({ status }) => status === "retrying")?.at ?? "");
  for (const { at } of journal.filter(isSent)) expect(Date.parse(at) - refusedAtMs).toBeGreaterThanOrEqual(3_000);
});

test("an event that is too late is journalled as expired and becomes a dead letter", async () => {
  const { url, close } = await openReceiver();
  await close();
  configure(url, { delivery: { expire: { finished: "600ms" } } });
  void world.start();
  stop();
  const journal = await world.until((lines) => lines.some(({ status }) => status === "expired"));
  const reason = expect.stringMatching(/^unavailable: .*; the next attempt would come too late$/);
  expect(journal.at(-1)).toMatchObject({ status: "expired", notifier: "hook", reason });
  await world.until(() => world.spooled().length === 1);
  expect(world.spooled()[0]).toMatch(/^dead\//);
});

test("no secret gets into the journal, the spool or an error", async () => {
  const canary = "canary-7f3a9c";
  const { url, close } = await openReceiver();
  await close();
  writeFileSync(join(world.paths.root, "secret"), `${secret}\n`, { mode: 0o600 });
  vi.stubEnv("CANARY", `${canary}-env`);
  const fromFile = `\${file:${join(world.paths.root, "secret")}}`;
  const headers = { "x-key": "${env:CANARY}" };
  const hook = { type: "webhook", url: `${url}?key=${canary}`, secret: fromFile, headers };
  world.writeConfig({ notifiers: { hook }, delivery: { linger: "1h", retryDelays: ["300ms"] } });
  void world.start();
  stop();
  await world.until((journal) => journal.filter(({ status }) => status === "retrying").length >= 2);
  await world.stop();
  const { spool, journal, state } = world.paths;
  const files = [spool, journal, state].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, "utf8"));
  expect(texts.length).toBeGreaterThanOrEqual(2);
  const everything = texts.join("\n");
  expect(everything).not.toContain(canary);
  expect(everything).not.toContain(secret.slice(6));
});

describe("a postponed event", () => {
  const error = JSON.parse(readFileSync(join(fixtures, "payloads/copilot/ErrorOccurred-server-error.json"), "utf8"));
  let transcript: string;
  beforeEach(async () => {
    await listen();
    const session = error.session_id ?? error.sessionId;
    transcript = join(world.paths.root, ".copilot", "session-state", session, "events.jsonl");
    mkdirSync(dirname(transcript), { recursive: true });
    cpSync(join(fixtures, "transcripts", "copilot-headless.jsonl"), transcript);
    write({ type: "user.message", data: { content: "go" } });
  });

  function write(line: object): void {
    appendFileSync(transcript, `${JSON.stringify({ ...line, timestamp: new Date(world.nowMs).toISOString() })}\n`);
  }

  test("survives its worker and rings once its outcome is known", async () => {
    world.fire({ hook_event_name: "ErrorOccurred", ...error }, "copilot");
    await world.until((journal) => journal.some(({ status }) => status === "accepted"));
    await world.stop();
    expect(receiver?.received).toEqual([]);
    expect(world.spooled().filter((file) => file.endsWith(".json"))).toHaveLength(1);
    write({ type: "session.error", data: { message: "500 the model is broken" } });
    void world.start();
    const journal = await world.until((lines) => lines.some(isSent));
    expect(bodies()).toMatchObject([{ kind: "failed", event: "Stop" }]);
    const accepted = journal.filter(({ agent, status }) => agent === "copilot" && status === "accepted");
    expect(accepted.filter(({ event }) => event === "Stop")).toHaveLength(1);
  });
});

describe("of a session at the service", () => {
  const sandbox = useEach("close", () => startSandbox());

  /** A session with a title, as most have. */
  const titled = () =>
    sandbox.state.sessions.find(({ title, sessionSettings }) => title && sessionSettings?.tokenUsage);

  async function sendStop(apiKey: string): Promise<string> {
    const session = titled();
    await listen({ service: { baseUrl: sandbox.baseUrl, apiKey } });
    const payload = { hook_event_name: "Stop", session_id: session?.sessionId, cwd: "/home/dev/shop" };
    world.fire({ ...payload, last_assistant_message: "The file is reviewed." }, "droid");
    await world.until((journal) => journal.some(isSent));
    return bodies()[0].body;
  }

  test("a session that fired a hook shows its title and tokens from the service, with a key", async () => {
    const body = await sendStop(keys.owner);
    const [title, said, tokens] = body.split("\n");
    expect([title, said]).toEqual([titled()?.title, "The file is reviewed."]);
    expect(tokens).toMatch(/^session: [\d.]+[KM]? tokens in, [\d.]+[KM]? out$/);
  });

  test("a rejected key is reported in the journal, without the key", async () => {
    expect(await sendStop("a-wrong-key-4711")).toBe("The file is reviewed.");
    const accepted = world.journal().find(({ status }) => status === "accepted");
    expect(accepted?.reason).toMatch(/401/);
    expect(JSON.stringify(world.journal())).not.toContain("4711");
  });
});

type Service = ReactionWorld & Partial<Pick<NtfyServer, "kept">>;
const services: readonly (readonly [type: string, start: () => Promise<Service>])[] = [
  ["ntfy", () => startNtfyServer({ settings: { button: true, escalate: "1h" } })],
  ["pushover", startPushoverServer],
  ["telegram", () => startTelegramServer({ button: true })],
];

test.each(services)("pressing a button at %s resolves the question and withdraws its message", async (type, start) => {
  const service = await start();
  onTestFinished(service.close);
  world.writeConfig({
    notifiers: { phone: { type, ...service.settings, detail: "full" } },
    lookups: [],
    attention: { wait: "0s" },
  });
  const call = { tool_name: "Bash", tool_input: { command: "npm test" } };
  world.fire({ hook_event_name: "PermissionRequest", session_id: "shop", cwd: "/code/shop", ...call });
  void world.start();
  await world.until((lines) => lines.some(({ status }) => status === "sent"));
  const [message] = await service.listActive();
  await service.press(message?.body ?? "");
  const lines = await world.until((all) => all.some(({ status }) => status === "withdrawn"));
  expect(lines.filter(({ status }) => status === "resolved")).toMatchObject([{ resolvedBy: "button" }]);
  expect(await service.listActive()).not.toContainEqual(message);
  expect(service.kept?.() ?? []).toEqual([]);
});

/** Has a worker deliver the installer's sample. Returns the milliseconds that it lingers. */
async function stayAfterSample(): Promise<number> {
  let hasEnded = false;
  const worker = world.start().then(() => {
    hasEnded = true;
  });
  const session_id = `${sampleSessionPrefix}1`;
  world.fire({ hook_event_name: "Notification", session_id, cwd: "/home/dev/shop", message: "beckon is installed." });
  await world.until((journal) => journal.some(({ status }) => status === "sent"));
  const sentAtMs = world.nowMs;
  await world.until(() => hasEnded);
  await worker;
  return world.nowMs - sentAtMs;
}

test("a worker exits after a sample that cannot be withdrawn", async () => {
  world.linger("0s");
  expect(await stayAfterSample()).toBeLessThan(5_000);
});

test("a worker stays ten seconds to withdraw a sample", async () => {
  receiver = await openReceiver();
  const notifiers = { hook: { type: "webhook", url: receiver.url, states: true, for: "person" } };
  world.writeConfig({ notifiers, lookups: [], delivery: { linger: "0s" } });
  expect(await stayAfterSample()).toBeGreaterThan(9_000);
  expect(bodies().map(({ state }) => state)).toEqual([undefined, "resolved"]);
});
