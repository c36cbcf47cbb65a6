/** Shows one notification with node-notifier: a `NodeNotifierRequest` on stdin, exit code 0 if shown, else 1. */
import childProcess, { type ExecFileException } from "node:child_process";
import { readFileSync } from "node:fs";
import type { NodeNotifierRequest } from "./desktop-node-notifier.ts";

/** How long SnoreToast must run before its toast counts as shown; it runs until the toast is gone. */
const toastShownMs = 1500;

/** SnoreToast's exit codes 1 to 5 say how a toast that was shown ended: https://github.com/KDE/snoretoast#usage */
const highestSuccessCode = { center: 0, toaster: 5 };

// If it contains "notifier", node-notifier prints every text to stdout.
delete process.env["DEBUG"];

async function show({ driver, title, message, icon, id, program: customPath }: NodeNotifierRequest): Promise<void> {
  exitWithProgram(highestSuccessCode[driver]);
  const finish = (error: unknown) => error && process.exit(1);
  if (driver === "center") {
    const { default: NotificationCenter } = await import("node-notifier/notifiers/notificationcenter.js");
    // `timeout: false` and no `wait`: otherwise terminal-notifier keeps running and removes the notification after 10 s.
    const request = { title, message, group: `${id}`, timeout: false as const, ...(icon && { contentImage: icon }) };
    new NotificationCenter({ customPath, withFallback: false }).notify(request, finish);
  } else {
    const { default: WindowsToaster } = await import("node-notifier/notifiers/toaster.js");
    new WindowsToaster({ customPath, withFallback: false }).notify(
      { title, message, id, wait: false, ...(icon && { icon }) },
      finish,
    );
    setTimeout(() => process.exit(0), toastShownMs);
  }
}

/**
 * Ends this process when the program that node-notifier starts ends, and with its success. What node-notifier reports
 * is wrong: a toaster that could not be started is a success to it, and any line on stderr a failure.
 */
function exitWithProgram(highestSuccess: number): void {
  const execFile = childProcess.execFile as (file: string, args: string[], done: Done) => unknown;
  const watched = (file: string, args: string[], done: Done) =>
    execFile(file, args, (error) => {
      done(null, "", ""); // so that node-notifier closes its pipe
      const code = error ? error.code : 0;
      process.exit(typeof code === "number" && code >= 0 && code <= highestSuccess ? 0 : 1);
    });
  Object.assign(childProcess, { execFile: watched });
}
type Done = (error: ExecFileException | null, stdout: string, stderr: string) => void;

show(JSON.parse(readFileSync(0, "utf8")) as NodeNotifierRequest).catch(() => process.exit(1));
