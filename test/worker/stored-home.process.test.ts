import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs, { cpSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHost } from "../../src/io/host.ts";
import { allow } from "../answers/replies.ts";
import { askedPayload, startAgent, typeAnswer, untilAsked } from "../world/asking-agent.ts";
import { createHome, type Home } from "../world/home.ts";
import {
  answerJson,
  type Behaviour,
  type Captured,
  openHostileServer,
  answer as reply,
} from "../world/hostile-server.ts";
import { makeLastingFolder } from "../world/lasting-folder.ts";

/** Folder of the stored homes, by the commit of the version that made them. */
const storedHomes = join(import.meta.dirname, "..", "fixtures", "homes");
/** Parts of a home that are stored. Locks are not: they name processes of the machine on which the home was made. */
const storedParts = ["config.jsonc", "asks", "journal", "spool", "state"];
/** Time at which every stored home is kept, Unix milliseconds: 20 November 2026, noon UTC. */
const storedAtMs = 1_795_176_000_000;
const storedAgoMs = 60_000;
/** Receivers that only answer. */
const programs = ["team", "old", "slow"];

const notice = "beckon: a notifier is broken";
let home: Home;
let receivers: StoredReceivers;
/** Stands in for the stored agents that are still running. */
let agent: ChildProcess;

/** Fires an event of a session, whose project has the session's name. */
const fire = (event: string, session: string, payload: object) => {
  const place = { session_id: session, cwd: `/home/dev/${session}` };
  const text = JSON.stringify({ hook_event_name: event, ...place, ...payload });
  return home.launch([event, "--agent", "claude"], text, { env: receivers.env });
};
const answer = (session: string) => fire("UserPromptSubmit", session, { prompt: "yes" });
const fail = (session: string) => fire("StopFailure", session, { error: "server_error" });

/** Lists what has happened so far with one status, as `session notifier`, in alphabetical order. */
const listed = (status: string, journal = home.journal()) =>
  journal
    .filter((line) => line.status === status && line.agent !== "beckon")
    .map(({ sessionId, notifier = "" }) => `${sessionId} ${notifier}`.trim())
    .toSorted();
/** Waits until as much has happened with one status. */
const until = (status: string, expected: readonly string[]) =>
  expect.poll(() => listed(status), { timeout: 15_000 }).toEqual(expected.toSorted());
/** Lists the sessions with events in a part of the spool, in alphabetical order. */
const spooled = (isIn: (file: string) => boolean) =>
  home
    .spooled()
    .filter(isIn)
    .map((file) => /"session_id":"(\w+)"/.exec(readFileSync(join(home.paths.spool, file), "utf8"))?.[1] ?? "")
    .toSorted();
const dead = () => spooled((file) => file.startsWith("dead/"));
const waiting = () => spooled((file) => !file.startsWith("dead/"));
/** Takes the requests since the last time, in alphabetical order. */
const takeRequests = () =>
  receivers.requests
    .splice(0)
    .map(({ what }) => what)
    .toSorted();
/** Lists the titles of the messages that can be seen; a chat's have none. */
const shownTitles = () => [...receivers.visible.values()].map((text) => JSON.parse(text).title ?? "");
/** Lists the alerts that remember a message which can be withdrawn. */
const withReceipts = () => {
  const folder = join(home.paths.state, "alerts");
  return readdirSync(folder).filter((file) => readFileSync(join(folder, file), "utf8").includes('"receipt"'));
};
/** Kills the worker, and lets two hours pass before the next one starts. */
const passTwoHours = async () => {
  await home.killWorker();
  ageHome(home.paths.root, 2 * 3_600_000);
};

// Each home was made by the programs of a version.
describe.each(readdirSync(storedHomes))("a home that version %s left", (version) => {
  beforeEach(async () => {
    receivers = await startReceivers();
    const created = createHome("stored", makeLastingFolder("stored"));
    const { CLAUDECODE: _, ...env } = created.env; // an agent may run the tests
    home = { ...created, env: { ...env, ...receivers.env } };
    agent = spawn("cat");
    copyStoredHome(version, home.paths.root, receivers);
    letAgentsLive(home.paths.root, agent.pid ?? 0);
  });
  afterEach(async () => {
    agent.kill();
    await home.remove();
  });

  test("goes on: nothing is lost, sent twice or left to be seen", async () => {
    const before = ["asks phone", "bank board", "bank board", "bank phone", "bank slow", "gone phone"];
    expect(listed("sent")).toEqual(before);
    expect(receivers.visible.size).toBe(6);

    // A minute later: everything is snoozed, `team` is paused, `old` is broken. One event was sent to `board` only.
    await fail("also");
    const first = [...before, "bank slow"];
    await until("sent", first);
    await until("failed", ["also old", "deep old"]);
    await Promise.all(["bank", "asks"].map(answer));
    await until("withdrawn", ["asks phone", "bank board", "bank board", "bank board", "bank phone", "gone phone"]);
    await expect.poll(waiting).toEqual(["also", "bank", "deep", "done", "hold", "last", "mall", "shop"]);
    await expect.poll(withReceipts).toEqual([]);
    expect(takeRequests()).toEqual(["board PATCH", "board PATCH", "phone PUT", "phone PUT", "phone PUT", "slow POST"]);
    expect(shownTitles()).toEqual([notice]);

    // Then only the project `shop` is snoozed, and quiet hours hold what is finished.
    await passTwoHours();
    await fail("third");
    const second = ["also team", "deep team", "third team", "third old", "hold phone", "last phone", "mall phone"];
    await until("sent", [...first, ...second]);
    await expect.poll(waiting).toEqual(["done", "shop"]);
    expect(takeRequests()).toEqual(["old POST", "phone POST", "team POST", "team POST", "team POST"]);
    expect(shownTitles()).toEqual([notice, "3 sessions need you"]);

    // Then nothing is snoozed or quiet.
    await passTwoHours();
    const config = JSON.parse(readFileSync(home.paths.config, "utf8"));
    home.writeConfig({ ...config, attention: { wait: "0s" } });
    await answer("hold");
    await until("sent", [...first, ...second, "done phone", "shop phone"]);
    expect(shownTitles()).toEqual([notice, "3 sessions need you", "2 messages"]);
    await Promise.all(["last", "mall", "shop", "done"].map(answer));
    await expect.poll(withReceipts).toEqual([]);
    await expect.poll(waiting).toEqual([]);
    expect(takeRequests()).toEqual(["phone POST", "phone PUT", "phone PUT"]);
    expect(shownTitles()).toEqual([notice]);
    expect(dead()).toEqual(["also", "deep"]); // which `old` did not get
    expect(listed("sent")).toEqual([...first, ...second, "done phone", "shop phone"].toSorted());
  });

  test("leaves the requests that it held to their agents, and the next one is answered", async () => {
    const { asks } = home.paths;
    const [held = ""] = readdirSync(asks).filter((file) => readFileSync(join(asks, file), "utf8").includes('"hold"'));
    const payload = askedPayload({ tool: "Bash", input: { command: "touch more" }, cwd: "/home/dev/more" });
    const asking = startAgent(home, payload);
    const { id } = await untilAsked(home, 3);
    // The hook that still waits gets an empty answer.
    const left = [held.replace(".json", ""), `${id}.json`];
    await expect.poll(() => readdirSync(asks).toSorted()).toEqual(left.toSorted());
    await until("given-up", ["hold"]);
    await typeAnswer(home, [id, "allow"], "allow");
    expect(await asking.end).toMatchObject({ printed: allow, exitCode: 0 });
  });
});

/** Receivers of a stored home's messages, all on one server. */
interface StoredReceivers {
  readonly origin: string;
  /** Variables that the home's configuration refers to. */
  readonly env: NodeJS.ProcessEnv;
  /** Texts of the messages that can be seen, by receiver and message. */
  readonly visible: Map<string, string>;
  /** Requests so far, as `phone POST`, with their texts. */
  readonly requests: { readonly what: string; readonly text: string }[];
}

/** Starts a phone (ntfy), a chat whose messages are marked as done (Discord), and programs (webhooks). */
async function startReceivers(): Promise<StoredReceivers> {
  const visible = new Map<string, string>();
  const requests: StoredReceivers["requests"] = [];
  const handle = ({ method, path, body }: Captured): Behaviour => {
    const [, first = "", second = "", third = ""] = path.replace(/\?.*/, "").split("/");
    const receiver = ["board", ...programs].includes(first) ? first : "phone";
    requests.push({ what: `${receiver} ${method}`, text: body });
    if (programs.includes(receiver)) return reply(200);
    if (method !== "POST") {
      const id = receiver === "phone" ? second : third;
      return visible.delete(`${receiver} ${id}`) ? answerJson(200, { id }) : reply(404);
    }
    const { sequence_id } = JSON.parse(body) as { readonly sequence_id?: string };
    const id = sequence_id ?? `${Date.now()}${requests.length}`;
    visible.set(`${receiver} ${id}`, body);
    return answerJson(200, { id, time: Math.floor(Date.now() / 1000), event: "message", sequence_id });
  };
  const server = await openHostileServer({
    "*": (request, response) => handle(server.requests.at(-1) as Captured)(request, response),
  });
  const { origin } = server;
  const env = Object.fromEntries(
    ["board", ...programs].map((name) => [`${name.toUpperCase()}_URL`, `${origin}/${name}`]),
  );
  return { origin, env, visible, requests };
}

/** Copies a stored home into a laid-out one, as if it had been stored a minute ago, and shows the receivers' messages. */
function copyStoredHome(version: string, root: string, { origin, visible }: StoredReceivers): void {
  for (const part of [...storedParts, "visible.json"]) {
    const stored = join(storedHomes, version, part);
    if (fs.existsSync(stored)) cpSync(stored, join(root, part), { recursive: true });
  }
  const config = readFileSync(join(root, "config.jsonc"), "utf8");
  writeFileSync(join(root, "config.jsonc"), config.replace(/http:\/\/127\.0\.0\.1:\d+/, origin));
  moveHome(root);
  const nowMs = Date.now();
  const month = `${new Date(nowMs).toISOString().slice(0, 7)}.jsonl`;
  for (const file of readdirSync(join(root, "journal")))
    renameSync(join(root, "journal", file), join(root, "journal", month));
  ageHome(root, storedAtMs - (nowMs - storedAgoMs));
  for (const file of listFiles(root)) utimesSync(file, (nowMs - storedAgoMs) / 1000, (nowMs - storedAgoMs) / 1000);
  const shown = JSON.parse(readFileSync(join(root, "visible.json"), "utf8")) as Record<string, string>;
  for (const [message, text] of Object.entries(shown)) visible.set(message, text);
}

/** Gives a home's sessions the name of this machine, which their keys depend on, if it has one for others. */
function moveHome(root: string): void {
  const host = createHost().elsewhere();
  const folder = join(root, "state", "alerts");
  const keys = readdirSync(folder).map((file): [string, string] => {
    const alert = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const move = (concern: { event: object }) => ({ ...concern, event: { ...concern.event, host } });
    const concerns = alert.concerns.map(move);
    writeFileSync(join(folder, file), JSON.stringify({ ...alert, host, concerns }));
    const key = createHash("sha256").update(JSON.stringify([host ?? "", alert.agent, alert.sessionId]));
    return [alert.key, key.digest("hex").slice(0, 32)];
  });
  const renamed = (text: string) => keys.reduce((changed, [before, after]) => changed.replaceAll(before, after), text);
  rewrite(root, renamed);
}

/** Lets the agents of all sessions but `gone`, and the hooks that wait, be a process that is still running. */
function letAgentsLive(root: string, pid: number): void {
  const isGone = (text: string) => text.startsWith('{"v":1,"key"') && text.includes('"sessionId":"gone"');
  const texts = listFiles(root).map((file) => readFileSync(file, "utf8"));
  const gone = texts.find(isGone) ?? "";
  const [, storedPid, storedTicks] = /"processes":\[\d+,(\d+)\],"agentStartTicks":"(\d+)"/.exec(gone) ?? [];
  const [, startTicks] = /\) (?:\S+ ){19}(\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  const live = (text: string) =>
    text
      .replace(new RegExp(`(?<=[[,])${storedPid}(?=[\\],])`, "g"), `${pid}`)
      .replace(`"agentStartTicks":"${storedTicks}"`, `"agentStartTicks":"${startTicks}"`)
      .replace(/"hook":\d+/, `"hook":${pid}`);
  rewrite(root, (text) => (isGone(text) ? text : live(text)));
}

/** Puts every instant in a home's files and in their names back by a time in milliseconds, as if that much had passed. */
function ageHome(root: string, byMs: number): void {
  const earlier = (ms: string) => `${Number(ms) - byMs}`;
  rewrite(
    root,
    (text) =>
      text
        .replace(/(?<=\.t|\b)1[7-9]\d{11}\b/g, earlier)
        .replace(/(?<="sentAt":)\d{10}\b/g, (seconds) => `${Number(seconds) - Math.round(byMs / 1000)}`)
        .replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, (at) => new Date(Date.parse(at) - byMs).toISOString()),
    byMs,
  );
}

/** Changes the texts and names of a home's files, whose dates go back by a time in milliseconds. */
function rewrite(root: string, change: (text: string) => string, byMs = 0): void {
  for (const file of listFiles(root)) {
    const modifiedAtMs = statSync(file).mtimeMs - byMs;
    writeFileSync(file, change(readFileSync(file, "utf8")));
    utimesSync(file, modifiedAtMs / 1000, modifiedAtMs / 1000);
    renameSync(file, join(dirname(file), change(basename(file))));
  }
}

function listFiles(root: string): string[] {
  const stored = (path: string) => [...storedParts, "visible.json"].includes(relative(root, path).split(sep)[0] ?? "");
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .flatMap(({ entry, path }) => (entry.isFile() && stored(path) ? [path] : []));
}
