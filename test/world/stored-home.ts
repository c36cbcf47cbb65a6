import { createHash } from "node:crypto";
import fs, { cpSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { createHost } from "../../src/io/host.ts";
import { answer, answerJson, type Behaviour, type Captured, startHostileServer } from "./hostile-server.ts";

/** Folder of the stored homes, by the commit of the version that made them. `scripts/store-home.ts` makes one. */
export const storedHomes = join(import.meta.dirname, "..", "fixtures", "homes");
/** Parts of a home that are stored. Locks are not: they name processes of the machine on which the home was made. */
export const storedParts = ["config.jsonc", "asks", "journal", "spool", "state"];
/** Time at which every stored home is kept, Unix milliseconds: 20 November 2026, noon UTC. */
export const storedAtMs = 1_795_176_000_000;
const storedAgoMs = 60_000;
/** Receivers that only answer. */
const programs = ["team", "old", "slow"];

/** Receivers of a stored home's messages, all on one server. */
export interface StoredReceivers {
  readonly origin: string;
  /** Variables that the home's configuration refers to. */
  readonly env: NodeJS.ProcessEnv;
  /** Texts of the messages that can be seen, by receiver and message. */
  readonly visible: Map<string, string>;
  /** Requests so far, as `phone POST`, with their texts. */
  readonly requests: { readonly what: string; readonly text: string }[];
  close(): Promise<void>;
}

/**
 * Starts a phone (ntfy), a chat whose messages are marked as done (Discord), and programs (webhooks).
 * @param refusals answers of programs; default: 200
 */
export async function startReceivers(refusals: Readonly<Record<string, Behaviour>> = {}): Promise<StoredReceivers> {
  const visible = new Map<string, string>();
  const requests: StoredReceivers["requests"] = [];
  const handle = ({ method, path, body }: Captured): Behaviour => {
    const [, first = "", second = "", third = ""] = path.replace(/\?.*/, "").split("/");
    const receiver = ["board", ...programs].includes(first) ? first : "phone";
    requests.push({ what: `${receiver} ${method}`, text: body });
    if (programs.includes(receiver)) return refusals[receiver] ?? answer(200);
    if (method !== "POST") {
      const id = receiver === "phone" ? second : third;
      return visible.delete(`${receiver} ${id}`) ? answerJson(200, { id }) : answer(404);
    }
    const { sequence_id } = JSON.parse(body) as { readonly sequence_id?: string };
    const id = sequence_id ?? `${Date.now()}${requests.length}`;
    visible.set(`${receiver} ${id}`, body);
    return answerJson(200, { id, time: Math.floor(Date.now() / 1000), event: "message", sequence_id });
  };
  const server = await startHostileServer({
    "*": (request, response) => handle(server.requests.at(-1) as Captured)(request, response),
  });
  const { origin, close } = server;
  const env = Object.fromEntries(
    ["board", ...programs].map((name) => [`${name.toUpperCase()}_URL`, `${origin}/${name}`]),
  );
  return { origin, env, visible, requests, close };
}

/** Copies a stored home into a laid-out one, as if it had been stored a minute ago, and shows the receivers' messages. */
export function copyStoredHome(version: string, root: string, { origin, visible }: StoredReceivers): void {
  for (const part of [...storedParts, "visible.json"]) {
    const stored = join(storedHomes, version, part);
    if (fs.existsSync(stored)) cpSync(stored, join(root, part), { recursive: true });
  }
  const config = readFileSync(join(root, "config.jsonc"), "utf8");
  writeFileSync(join(root, "config.jsonc"), config.replace(/http:\/\/127\.0\.0\.1:\d+/, origin));
  moveHome(root, createHost().elsewhere());
  const nowMs = Date.now();
  const month = `${new Date(nowMs).toISOString().slice(0, 7)}.jsonl`;
  for (const file of readdirSync(join(root, "journal")))
    renameSync(join(root, "journal", file), join(root, "journal", month));
  ageHome(root, storedAtMs - (nowMs - storedAgoMs));
  for (const file of listFiles(root)) utimesSync(file, (nowMs - storedAgoMs) / 1000, (nowMs - storedAgoMs) / 1000);
  const shown = JSON.parse(readFileSync(join(root, "visible.json"), "utf8")) as Record<string, string>;
  for (const [message, text] of Object.entries(shown)) visible.set(message, text);
}

/** Gives a home's sessions the name of another machine, which their keys depend on; undefined: no name. */
export function moveHome(root: string, host: string | undefined): void {
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
export function letAgentsLive(root: string, pid: number): void {
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
export function ageHome(root: string, byMs: number): void {
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
