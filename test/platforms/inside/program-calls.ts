import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../../world/home.ts";
import { assertSilent, until } from "./check.ts";
import type { Machine } from "./machine.ts";
import type { Call } from "./result.ts";

/** Where the recorder is in a root. */
export const recorderFile = "/usr/local/recorder.cjs";

/** Notes how a program is called, says nothing and ends; not later than after a second, if nobody ends its input. */
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

/** Called by `recorded` with the program's file first. */
export const recorderOfRoot = `const [, , file, ...args] = process.argv;${recorder(callsFiles.root)}`;
/** Part of a program itself: Node's single executable application. */
export const recorderOfWindows = `const [file, , ...args] = process.argv;${recorder(callsFiles.windows)}`;
/** Where on Windows a recorder takes the place of a program of the system. */
export const windowsPowershell = "C:\\windows\\system32\\WindowsPowerShell\\v1.0\\powershell.exe";

/** What takes a program's place in a root. */
export const recorded = `#!/bin/sh\nexec /opt/node/bin/node ${recorderFile} "$0" "$@"\n`;

/** Texts that would do something if anything but a text were made of them. */
const hostile = `-x "two" 'one' $(id) \`id\` %PATH% & | ; \\ größer 日本 [[slnc 9]] <b>`;

const events = {
  Notification: { notification_type: "permission_prompt", message: hostile },
  Stop: { last_assistant_message: `${hostile}\nsecond line` },
} as const;

const bySystem = { chime: { type: "sound" }, voice: { type: "speech" } };
/** Under Wine what shows a toast takes longer to start than it may. */
const notifiers = process.platform === "win32" ? bySystem : { desk: { type: "desktop" }, ...bySystem };

/** Fires one event of each kind and returns how the system's programs were called, program by program. */
export async function recordCalls(machine: Machine): Promise<readonly Call[]> {
  recordVendors(join(machine.home.paths.app, "vendor"));
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
  await sleep(1500); // a program may be noted after its event is journalled
  const lines = readFileSync(callsFile, "utf8").split("\n").filter(Boolean);
  // Programs are started side by side: their order says nothing.
  const calls = lines.map(withoutRandom).sort();
  return calls.map((line): Call => JSON.parse(line));
}

/** Numbers of notifications, names of pipes, and the name of the folder that holds the app. */
function withoutRandom(line: string): string {
  const uuid = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
  return line
    .replaceAll(uuid, "<uuid>")
    .replaceAll(/\bapp-[0-9a-f]{12}\b/g, "app")
    .replaceAll(/\b\d{5,}\b/g, "<number>");
}

/** Programs that the installer brought along cannot run here: others take their place. */
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
  const told = machine.home.journal().filter((line) => line.sessionId === session && line.notifier !== undefined);
  return told.length >= Object.keys(notifiers).length ? undefined : `the journal has ${JSON.stringify(told)}`;
}
