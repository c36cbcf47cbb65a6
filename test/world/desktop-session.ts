import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { background, eventually } from "./background.ts";

const run = promisify(execFile);

export type ShownNotification = ReturnType<typeof parseHistory>[number];

/** A separate desktop: session bus, X server without a screen, notification daemon. */
export type DesktopSession = Awaited<ReturnType<typeof startDesktopSession>>;

/**
 * Starts dbus-daemon, Xvfb and dunst for one test.
 * @param dunstrc dunst's configuration; by default notifications stay until they are closed
 */
export async function startDesktopSession(dunstrc: string = plainDunstrc) {
  const bus = await startSessionBus();
  const programs = background();
  const stop = async () => {
    await programs.stop();
    await bus.stop();
  };
  try {
    const screen = ["-screen", "0", "1024x768x24", "-nolisten", "tcp", "-displayfd", "3"];
    const xvfb = programs.start("Xvfb", screen, { env: bus.env, stdio });
    /** A program's environment for this desktop. */
    const env: NodeJS.ProcessEnv = { ...bus.env, DISPLAY: `:${await lineFrom(xvfb)}` };
    const config = join(bus.folder, "dunstrc");
    writeFileSync(config, dunstrc + urgencyRules);
    const dunstctl = async (...args: string[]) => (await run("dunstctl", args, { env })).stdout;
    const startDaemon = async () => {
      const started = programs.start("dunst", ["-config", config], { env });
      await eventually("dunst", () => dunstctl("count").catch(() => undefined));
      return started;
    };
    let daemon = await startDaemon();
    /** Restarts the notification daemon, whose ids then start over. */
    const restartDaemon = async () => {
      const ended = once(daemon, "exit");
      daemon.kill();
      await ended;
      daemon = await startDaemon();
    };
    /** Counts the visible notifications. */
    const displayed = async () => Number(await dunstctl("count", "displayed"));
    /** Closes the visible notifications. Returns every notification so far, oldest first. */
    const history = async () => {
      await dunstctl("close-all");
      return parseHistory(await dunstctl("history"));
    };
    /** Lists the visible notifications, oldest first, without closing them. */
    const onScreen = async () => {
      const count = await displayed();
      const shown = (await history()).slice(-count || Number.POSITIVE_INFINITY);
      for (const _ of shown) await dunstctl("history-pop");
      return shown;
    };
    /** Writes a PNG of the whole screen. */
    const screenshot = async (path: string) => void (await run("import", ["-window", "root", path], { env }));
    return { env, history, displayed, onScreen, restartDaemon, screenshot, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts an empty session bus. `folder` is the bus's home, which `stop` removes.
 * @param serviceFolder folder with descriptions of services that the bus may start
 */
export async function startSessionBus(serviceFolder?: string) {
  const folder = mkdtempSync(join(tmpdir(), "beckon-desktop-"));
  const programs = background();
  const stop = async () => {
    await programs.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const env = { PATH: process.env["PATH"], HOME: folder, LANG: "C.UTF-8", XDG_RUNTIME_DIR: folder };
    writeFileSync(join(folder, "bus.conf"), busConfig(join(folder, "socket"), serviceFolder));
    const args = ["--nofork", "--print-address=3", `--config-file=${join(folder, "bus.conf")}`];
    const address = await lineFrom(programs.start("dbus-daemon", args, { env, stdio }));
    return { env: { ...env, DBUS_SESSION_BUS_ADDRESS: address } as NodeJS.ProcessEnv, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const stdio: ("ignore" | "pipe")[] = ["ignore", "ignore", "ignore", "pipe"];

/** Reads the first line that a program writes to its file descriptor 3. */
async function lineFrom(child: ChildProcess): Promise<string> {
  const died = once(child, "exit").then(() => {
    throw new Error(`${child.spawnargs.join(" ")} ended early`);
  });
  const [chunk] = (await Promise.race([once(child.stdio[3] as Readable, "data"), died])) as [Buffer];
  died.catch(() => {});
  return chunk.toString().trim();
}

const busConfig = (socket: string, serviceFolder?: string) => `<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  ${serviceFolder ? `<servicedir>${serviceFolder}</servicedir>` : ""}
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

const plainDunstrc = `[global]
    font = DejaVu Sans 10
    history_length = 1000
    notification_limit = 0
[urgency_low]
    timeout = 0
[urgency_normal]
    timeout = 0
[urgency_critical]
    timeout = 0
`;

/** dunst's history lacks the urgency, so rules write it into the category. */
const urgencyRules = ["low", "normal", "critical"]
  .map((level) => `[mark_${level}]\n    msg_urgency = ${level}\n    set_category = ${level}\n`)
  .join("");

type Entry = Record<"summary" | "body" | "category" | "appname" | "icon_path", { readonly data: string }>;

function parseHistory(json: string) {
  const { data } = JSON.parse(json) as { data: [Entry[]] };
  return data[0]
    .map(({ summary, body, category, appname, icon_path }) => ({
      summary: summary.data,
      /** Visible text. */
      body: readMarkup(body.data),
      urgency: category.data,
      appname: appname.data,
      /** Name of the icon's file. */
      icon: basename(icon_path.data),
    }))
    .reverse();
}

/** Reads the visible text of a body: tags take effect and vanish, and entities become their characters. */
function readMarkup(body: string): string {
  const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return body.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => characters[name] ?? "");
}
