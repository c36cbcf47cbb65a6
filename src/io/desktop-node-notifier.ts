import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type {
  DesktopDriver,
  DesktopPort,
  ExecPort,
  Obstacle,
  ShownNotification,
  UnprovenProgram,
} from "../core/ports.ts";
import { findUp } from "../files/paths.ts";
import { clean, cleanLine, oneLine } from "../text/clean.ts";
import { cut, cutCounted } from "../text/cut.ts";
import { type NodeNotifierRequest, switchedOffCode } from "./node-notifier-request.ts";

/** Options for node-notifier: its driver class and the paths of its files. */
export interface NodeNotifierOptions {
  readonly driver: NodeNotifierRequest["driver"];
  /** Absolute path of `node-notifier-child.cjs`; default: the file built with this file. */
  readonly child?: string;
  /** Folder with node-notifier's programs; default: `vendor` next to the app or in the installed package. */
  readonly vendor?: string;
  /** True inside WSL. Windows programs then need Windows paths as arguments. */
  readonly inWsl?: boolean;
  /** True if this machine can run Intel programs; default: true on Intel processors and with Rosetta. */
  readonly runsIntel?: boolean;
}

const timeoutMs = 3000;
/** File that exists only if Rosetta is installed. */
const rosettaFile = "/Library/Apple/usr/libexec/oah/libRosettaRuntime";

const windowsSteps = (app: string): readonly string[] => [
  "Open Settings > System > Notifications and turn on Notifications.",
  `Turn on ${app} in the list below, if it is listed.`,
  "Turn off Do not disturb, and Focus in Settings > System > Focus.",
];

/** Programs that node-notifier contains, with their options for closing a notification. */
const programs = {
  center: {
    info: { name: "bundled", title: "the terminal-notifier in node-notifier", steps: macSteps("terminal-notifier") },
    owner: "terminal-notifier-1",
    close: "-remove",
    file: "mac.noindex/terminal-notifier.app/Contents/MacOS/terminal-notifier",
  },
  toaster: {
    info: { name: "toast", title: "SnoreToast", steps: windowsSteps("SnoreToast") },
    owner: "SnoreToast",
    close: "-close",
    file: `snoreToast/snoretoast-${process.arch === "ia32" ? "x86" : "x64"}.exe`,
  },
  balloon: {
    info: { name: "balloon", title: "Notifu", steps: windowsSteps("Notifu") },
    owner: "Notifu",
    close: undefined,
    file: `notifu/notifu${process.arch === "ia32" ? "" : "64"}.exe`,
  },
} as const;
const notInstalled = "node-notifier or the program it starts is not installed";
const noRosetta = "node-notifier's terminal-notifier needs Rosetta on this Mac, which is not installed";
const prefix = "beckon: ";

/**
 * Creates the desktop driver for node-notifier. Masks secrets in texts, because node-notifier's programs take texts as
 * arguments. Runs node-notifier in a separate process, because node-notifier has no timeout, prints texts if `DEBUG` is
 * set, and throws for some texts instead of calling back (https://github.com/mikaelbr/node-notifier/issues/396).
 */
export function createNodeNotifier(exec: ExecPort, options: NodeNotifierOptions): UnprovenDriver {
  const { info, owner, close } = programs[options.driver];
  const child = () =>
    options.child ?? findUp(import.meta.url, "node-notifier-child.cjs", "dist/node-notifier-child.cjs");
  const runsIntel = () => options.runsIntel ?? (process.arch === "x64" || existsSync(rosettaFile));
  const obstacle = (): Obstacle | undefined => {
    const hint = "Run the installer again.";
    if (!child() || !findProgram(options)) return { message: notInstalled, hint };
    return options.driver === "center" && !runsIntel() ? { message: noRosetta, hint } : undefined;
  };
  return {
    info,
    owner,
    obstacle,
    async notify({ title, body, icon, replaces, mask, signal }) {
      const [entry, program, why] = [child(), findProgram(options), obstacle()];
      if (entry === undefined || program === undefined || why !== undefined) {
        throw new DeliveryError("unsupported", why?.message ?? notInstalled, { hint: "Run the installer again." });
      }
      const iconPath = options.inWsl ? await windowsPath(exec, icon, signal) : icon;
      const shown: ShownNotification = replaces?.owner === owner ? replaces : { id: randomInt(1, 2 ** 47), owner };
      const request: NodeNotifierRequest = {
        driver: options.driver,
        program,
        id: shown.id,
        ...containedTexts(mask(title), mask(body)),
        ...omitUndefined({ icon: iconPath }),
      };
      const input = JSON.stringify(request);
      const { exitCode } = await exec.run({ file: process.execPath, args: [entry], input, timeoutMs, signal });
      if (exitCode === switchedOffCode) {
        throw new DeliveryError("rejected", `notifications of ${owner} are turned off in Windows Settings`, {
          hint: info.steps.slice(0, 2).join(" "),
        });
      }
      if (exitCode !== 0) throw new DeliveryError("unavailable", `node-notifier failed (exit code ${exitCode})`);
      return close === undefined ? undefined : shown;
    },
    // Runs the program directly: node-notifier would also pass a title. The arguments contain no text.
    async close({ shown, signal }) {
      const file = findProgram(options);
      if (close === undefined) return;
      if (file === undefined) throw new DeliveryError("unavailable", notInstalled);
      const { exitCode } = await exec.run({ file, args: [close, String(shown.id)], timeoutMs, signal });
      // SnoreToast fails if the notification is already closed.
      if (exitCode === 0 || options.driver === "toaster") return;
      throw new DeliveryError("unavailable", `${owner} could not close a notification (exit code ${exitCode})`);
    },
  };
}

/**
 * Changes title and body so that node-notifier's programs show them correctly. The title becomes one line of at most 80
 * graphemes that begins with `beckon: `. The body becomes one line of at most 250 graphemes, with ` ⏎ ` for line ends,
 * and with a prefix if terminal-notifier would otherwise print its help or show nothing
 * (https://github.com/julienXX/terminal-notifier/issues/134).
 */
export function containedTexts(title: string, body: string): { title: string; message: string } {
  const line = oneLine(clean(body));
  const message = /^[-[{(<"\\/@]/.test(line) ? `› ${line}` : line;
  return {
    title: cut(prefix + cleanLine(title), 80, "graphemes"),
    // node-notifier needs a message.
    message: cutCounted(message, 250, "graphemes") || "…",
  };
}

/** Converts a path to a Windows path with WSL's `wslpath`; undefined if that fails, because the icon is optional. */
async function windowsPath(exec: ExecPort, path: string | undefined, signal: AbortSignal): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const found = await exec.run({ file: "wslpath", args: ["-w", path], timeoutMs: 1000, signal }).catch(() => undefined);
  return found?.exitCode === 0 ? found.stdout.trim() || undefined : undefined;
}

function findProgram({ driver, vendor }: NodeNotifierOptions): string | undefined {
  const program = programs[driver].file;
  if (vendor === undefined)
    return findUp(import.meta.url, `vendor/${program}`, `node_modules/node-notifier/vendor/${program}`);
  return existsSync(join(vendor, program)) ? join(vendor, program) : undefined;
}

/** Desktop driver whose program cannot report if a notification really appears. */
export interface UnprovenDriver extends DesktopDriver, Pick<DesktopPort, "close"> {
  readonly info: UnprovenProgram;
  /** Name that identifies this driver in `ShownNotification.owner`. */
  readonly owner: string;
  /** Returns the reason why notifications cannot appear, like the port's `problem`. */
  problem?(signal: AbortSignal): Promise<string | undefined>;
}

/** Returns the steps that make a program's notifications visible on macOS, in terms of the menus of macOS 13 to 26. */
export function macSteps(app: string, ...ifMissing: readonly string[]): readonly string[] {
  return [
    `Open System Settings > Notifications > ${app}, turn on "Allow notifications", and choose Banners or Alerts.`,
    ...ifMissing,
    "Turn off Focus: System Settings > Focus, or the moon in the menu bar.",
  ];
}
