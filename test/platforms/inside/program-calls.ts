import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../../world/home.ts";
import { assertSilent, type Call, until } from "./check.ts";
import type { Machine } from "./machine.ts";

/** Path of the recorder in a root. */
export const recorderFile = "/usr/local/recorder.cjs";

/**
 * Makes the source of a program that records its call, prints nothing and ends, after a second at most if its input
 * stays open.
 */
const recorder = (callsFile: string) => `
const named = ([name]) => /^(BECKON_(SOUND|VOICE|LANGUAGE)|WSLENV)$/.test(name);
let input = "";
const note = () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(named));
  const call = { program: require("path").basename(file), args, env, input };
  require("fs").appendFileSync(${JSON.stringify(callsFile)}, JSON.stringify(call) + "\\n");
  process.exit(0);
};
process.stdin.setEncoding("utf8").on("data", (text) => { input += text; }).on("end", note).on("error", note);
setTimeout(note, 1000);
`;

const callsFiles = { root: "/home/dev/calls.jsonl", windows: "C:\\calls.jsonl" } as const;
const callsFile = process.platform === "win32" ? callsFiles.windows : callsFiles.root;

/** Source of the recorder in a root. `recorded` calls it with the program's file as the first argument. */
export const recorderOfRoot = `const [, , file, ...args] = process.argv;${recorder(callsFiles.root)}`;
/**
 * Source of the recorder on Windows, which is part of the recorded program itself: Node's single executable
 * application.
 */
export const recorderOfWindows = `const [file, , ...args] = process.argv;${recorder(callsFiles.windows)}`;
/** Path of the Windows system program that a recorder replaces. */
export const windowsPowershell = "C:\\windows\\system32\\WindowsPowerShell\\v1.0\\powershell.exe";

/** Stand-in for a program in a root. */
export const recorded = `#!/bin/sh\nexec /opt/node/bin/node ${recorderFile} "$0" "$@"\n`;

/** Texts that would have an effect if they were not treated as text. */
const hostile = `-x "two" 'one' $(id) \`id\` %PATH% & | ; \\ größer 日本 [[slnc 9]] <b>`;

const events = {
  Notification: { notification_type: "permission_prompt", message: hostile },
  Stop: { last_assistant_message: `${hostile}\nsecond line` },
} as const;

const bySystem = { chime: { type: "sound" }, voice: { type: "speech" } };
/**
 * Notifiers to fire at. The toast program is left out on Windows, because under Wine it starts more slowly than its
 * limit allows.
 */
const notifiers = process.platform === "win32" ? bySystem : { desk: { type: "desktop" }, ...bySystem };

/** Fires one event of each kind. Returns the calls of the system's programs, by program. */
export async function recordCalls(machine: Machine): Promise<readonly Call[]> {
  recordVendors(join(machine.home.paths.app, "dist", "vendor"));
  const routes = [{ to: Object.keys(notifiers) }];
  await machine.startAfresh({ notifiers, routes, lookups: [], attention: { wait: "0s" }, delivery: { linger: "1s" } });
  rmSync(callsFile, { force: true });
  for (const [event, fields] of Object.entries(events)) {
    const payload = { session_id: event, hook_event_name: event, cwd: machine.userHome, ...fields };
    assertSilent(await machine.fire(event, JSON.stringify(payload)));
    await until(() => obstacleTo(machine, event), process.platform === "win32" ? 60_000 : 30_000);
  }
  const usual = ["accepted", "sent", "updated", "withdrawn"];
  const failures = machine.home.journal().filter(({ status }) => !usual.includes(status));
  if (failures.length > 0) throw new Error(failures.map((line) => JSON.stringify(line)).join("\n"));
  await sleep(1500); // a program may be recorded after its event is journalled
  const lines = readFileSync(callsFile, "utf8").split("\n").filter(Boolean);
  // Programs run in parallel, so their order is meaningless.
  const calls = lines.map(withoutRandom).sort();
  return calls.map((line): Call => JSON.parse(line));
}

/**
 * Replaces the parts of a line that differ in each run: numbers of notifications, names of pipes, and the name of the
 * app's folder.
 */
function withoutRandom(line: string): string {
  const uuid = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
  return line
    .replaceAll(uuid, "<uuid>")
    .replaceAll(/\bapp-[0-9a-f]{12}\b/g, "app")
    .replaceAll(/\b\d{5,}\b/g, "<number>");
}

/** Puts recorders in the place of the installer's bundled programs, which cannot run here. */
function recordVendors(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.exe$|^terminal-notifier$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    writeFileSync(file, recorded);
    chmodSync(file, 0o700);
  }
}

function obstacleTo(machine: Machine, session: string): string | undefined {
  const delivered = machine.home.journal().filter((line) => line.sessionId === session && line.notifier !== undefined);
  return delivered.length >= Object.keys(notifiers).length ? undefined : `the journal has ${JSON.stringify(delivered)}`;
}
