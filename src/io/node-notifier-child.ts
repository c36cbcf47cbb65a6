/** A process around node-notifier: the job as JSON on stdin; exit code 0 shown, 1 not shown. Prints nothing. */
import childProcess, { type ExecFileException } from "node:child_process";
import { readFileSync } from "node:fs";
import type { NodeNotifierJob } from "./desktop-node-notifier.ts";

/** SnoreToast stays until its toast goes away; when it is still there after so long, the toast is shown. */
const toastUpMs = 1500;

/** SnoreToast says with 1 to 5 how a toast that was shown ended: https://github.com/KDE/snoretoast#usage */
const highestGoodCode = { center: 0, toaster: 5 };

// With "notifier" in it, node-notifier prints every text to stdout.
delete process.env["DEBUG"];

async function show({ driver, title, message, program: customPath }: NodeNotifierJob): Promise<void> {
  endWithProgram(highestGoodCode[driver]);
  const finish = (error: unknown) => error && process.exit(1);
  if (driver === "center") {
    const { default: NotificationCenter } = await import("node-notifier/notifiers/notificationcenter.js");
    // `timeout: false` and no `wait`: otherwise terminal-notifier stays, and takes the notification away after 10 s.
    new NotificationCenter({ customPath, withFallback: false }).notify({ title, message, timeout: false }, finish);
  } else {
    const { default: WindowsToaster } = await import("node-notifier/notifiers/toaster.js");
    new WindowsToaster({ customPath, withFallback: false }).notify({ title, message, wait: false }, finish);
    setTimeout(() => process.exit(0), toastUpMs);
  }
}

/**
 * Makes the end of the program that node-notifier starts the end of this process. What node-notifier itself reports is
 * not enough: it calls a toaster that could not be started a success, and any line on stderr a failure.
 */
function endWithProgram(highestGood: number): void {
  const execFile = childProcess.execFile as (file: string, args: string[], done: Done) => unknown;
  const watched = (file: string, args: string[], done: Done) =>
    execFile(file, args, (error) => {
      // Lets it close its pipe.
      done(null, "", "");
      const code = error ? error.code : 0;
      process.exit(typeof code === "number" && code >= 0 && code <= highestGood ? 0 : 1);
    });
  Object.assign(childProcess, { execFile: watched });
}
type Done = (error: ExecFileException | null, stdout: string, stderr: string) => void;

show(JSON.parse(readFileSync(0, "utf8")) as NodeNotifierJob).catch(() => process.exit(1));
