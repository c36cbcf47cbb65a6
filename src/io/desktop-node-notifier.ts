import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanLine } from "../core/clean.ts";
import { cut } from "../core/cut.ts";
import { DeliveryError } from "../core/errors.ts";
import { findUp } from "../core/find-up.ts";
import type { DesktopPort, ShownNotification } from "../core/machine-ports.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ExecPort } from "../core/ports.ts";

/** What `node-notifier-child` reads from its standard input, as JSON. */
export interface NodeNotifierRequest {
  /** node-notifier's class: `center` for macOS' Notification Center, `toaster` for Windows' toasts. */
  readonly driver: "center" | "toaster";
  /** Absolute path of the program that node-notifier starts. */
  readonly program: string;
  readonly title: string;
  readonly message: string;
  /** Absolute path of a PNG. */
  readonly icon?: string;
  /** Its number; it takes the place of the one that has the same. */
  readonly id: number;
}

/** Which class of node-notifier to use, and where its files are. */
export interface NodeNotifierOptions {
  readonly driver: NodeNotifierRequest["driver"];
  /** Absolute path of `node-notifier-child.cjs`; default: the one built with this file. */
  readonly child?: string;
  /** Folder of node-notifier's programs; default: `vendor` next to the app or in the installed package. */
  readonly vendor?: string;
}

/** The desktop port on node-notifier. */
export interface NodeNotifier extends Omit<DesktopPort, "isListening"> {
  /** The owner of all that it shows. */
  readonly owner: string;
}

const timeoutMs = 3000;
/** The programs, and the option by which each closes a notification. */
const programs = {
  center: { owner: "terminal-notifier", close: "-remove" },
  toaster: { owner: "SnoreToast", close: "-close" },
} as const;
const notInstalled = "node-notifier or the program it starts is not installed";
const prefix = "beckon: ";

/**
 * Desktop port on node-notifier, whose programs take the texts as arguments: they are masked. It runs in a process of its own, because it has no timeout, prints texts if `DEBUG`
 * is set and throws for some texts instead of calling back (https://github.com/mikaelbr/node-notifier/issues/396).
 */
export function createNodeNotifier(exec: ExecPort, options: NodeNotifierOptions): NodeNotifier {
  const { owner, close } = programs[options.driver];
  const child = () =>
    options.child ?? findUp(import.meta.url, "node-notifier-child.cjs", "dist/node-notifier-child.cjs");
  return {
    owner,
    obstacle: () => (child() && findProgram(exec, options) ? undefined : notInstalled),
    async notify({ title, body, icon, replaces, mask, signal }) {
      const [entry, program] = [child(), findProgram(exec, options)];
      if (entry === undefined || program === undefined) {
        throw new DeliveryError("unsupported", notInstalled, { hint: "Run the installer again." });
      }
      const shown: ShownNotification = replaces?.owner === owner ? replaces : { id: randomInt(1, 2 ** 47), owner };
      const request: NodeNotifierRequest = {
        driver: options.driver,
        program,
        id: shown.id,
        ...containedTexts(mask(title), mask(body)),
        ...omitUndefined({ icon }),
      };
      const input = JSON.stringify(request);
      const { exitCode } = await exec.run({ file: process.execPath, args: [entry], input, timeoutMs, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `node-notifier failed (exit code ${exitCode})`);
      return shown;
    },
    // Without node-notifier, which would pass on a title as well. No text is in the arguments.
    async close({ shown, signal }) {
      const file = findProgram(exec, options);
      if (shown.owner !== owner || file === undefined) return;
      const { exitCode } = await exec.run({ file, args: [close, String(shown.id)], timeoutMs, signal });
      // SnoreToast fails for a notification that is gone, as for any that it cannot close.
      if (exitCode === 0 || options.driver === "toaster") return;
      throw new DeliveryError("unavailable", `${owner} could not close a notification (exit code ${exitCode})`);
    },
  };
}

/**
 * Title and message in a form that node-notifier and its programs show unchanged: one line each, ` · ` for the ends of
 * lines, at most 80 and 250 graphemes, and never beginning with a character that makes terminal-notifier print its help or show nothing
 * (https://github.com/julienXX/terminal-notifier/issues/134).
 */
export function containedTexts(title: string, body: string): { title: string; message: string } {
  const line = body.split("\n").map(cleanLine).filter(Boolean).join(" · ");
  const message = /^[-[{(<"\\/@]/.test(line) ? `› ${line}` : line;
  return {
    title: cut(prefix + cleanLine(title), 80, "graphemes"),
    // Without a message node-notifier shows nothing.
    message: cut(message, 250, "graphemes") || "…",
  };
}

function findProgram(exec: ExecPort, { driver, vendor }: NodeNotifierOptions): string | undefined {
  // One that the user installed comes first: node-notifier bundles terminal-notifier for Intel only.
  const installed = driver === "center" ? exec.driver("terminal-notifier") : undefined;
  if (installed !== undefined) return installed;
  const program = bundledPrograms[driver];
  if (vendor === undefined)
    return findUp(import.meta.url, `vendor/${program}`, `node_modules/node-notifier/vendor/${program}`);
  return existsSync(join(vendor, program)) ? join(vendor, program) : undefined;
}

const bundledPrograms: Readonly<Record<NodeNotifierRequest["driver"], string>> = {
  center: "mac.noindex/terminal-notifier.app/Contents/MacOS/terminal-notifier",
  toaster: `snoreToast/snoretoast-${process.arch === "ia32" ? "x86" : "x64"}.exe`,
};
