import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanLine } from "../core/clean.ts";
import { cut } from "../core/cut.ts";
import { DeliveryError } from "../core/errors.ts";
import { findUp } from "../core/find-up.ts";
import type { DesktopPort } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";

/** What `node-notifier-child` reads from its standard input. */
export interface NodeNotifierJob {
  /** node-notifier's class: `center` is macOS' notification centre, `toaster` Windows' toasts. */
  readonly driver: "center" | "toaster";
  /** Absolute path of the program node-notifier starts. */
  readonly program: string;
  readonly title: string;
  readonly message: string;
}

export interface NodeNotifierOptions {
  readonly driver: NodeNotifierJob["driver"];
  /** Absolute path of `node-notifier-child.cjs`; by default the one that was built with this file. */
  readonly child?: string;
  /** Folder with node-notifier's programs; by default `vendor` beside the app or in the installed package. */
  readonly vendor?: string;
}

const timeoutMs = 3000;
const notInstalled = "node-notifier or the program it starts is not installed";
const prefix = "beckon: ";

/**
 * Shows notifications through node-notifier, in a process of its own: it has no time limit, prints texts when `DEBUG`
 * says so, and throws instead of calling back for some texts (https://github.com/mikaelbr/node-notifier/issues/396).
 */
export function createNodeNotifier(exec: ExecPort, options: NodeNotifierOptions): DesktopPort {
  const child = () =>
    options.child ?? findUp(import.meta.url, "node-notifier-child.cjs", "dist/node-notifier-child.cjs");
  return {
    obstacle: () => (child() && findProgram(exec, options) ? undefined : notInstalled),
    async notify({ title, body, signal }) {
      const [entry, program] = [child(), findProgram(exec, options)];
      if (entry === undefined || program === undefined) {
        throw new DeliveryError("unsupported", notInstalled, { hint: "Run the installer again." });
      }
      const job: NodeNotifierJob = { driver: options.driver, program, ...containedTexts(title, body) };
      const input = JSON.stringify(job);
      const { exitCode } = await exec.run({ file: process.execPath, args: [entry], input, timeoutMs, signal });
      if (exitCode !== 0) throw new DeliveryError("unavailable", `node-notifier failed (exit code ${exitCode})`);
    },
  };
}

/**
 * Texts that pass through node-notifier and its programs unharmed: one line each, at most 80 and 250 graphemes, and
 * never starting with a character that makes terminal-notifier print its help or show nothing
 * (https://github.com/julienXX/terminal-notifier/issues/134).
 */
export function containedTexts(title: string, body: string): { title: string; message: string } {
  const line = cleanLine(body);
  const message = /^[-[{(<"\\/@]/.test(line) ? `› ${line}` : line;
  return {
    title: cut(prefix + cleanLine(title), 80, "graphemes"),
    // node-notifier shows nothing without a message.
    message: cut(message, 250, "graphemes") || "…",
  };
}

function findProgram(exec: ExecPort, { driver, vendor }: NodeNotifierOptions): string | undefined {
  // One the user installed comes first: the terminal-notifier that node-notifier brings is for Intel only.
  const own = driver === "center" ? exec.which("terminal-notifier") : undefined;
  if (own !== undefined) return own;
  const program = bundledPrograms[driver];
  if (vendor === undefined)
    return findUp(import.meta.url, `vendor/${program}`, `node_modules/node-notifier/vendor/${program}`);
  return existsSync(join(vendor, program)) ? join(vendor, program) : undefined;
}

const bundledPrograms: Readonly<Record<NodeNotifierJob["driver"], string>> = {
  center: "mac.noindex/terminal-notifier.app/Contents/MacOS/terminal-notifier",
  toaster: `snoreToast/snoretoast-${process.arch === "ia32" ? "x86" : "x64"}.exe`,
};
