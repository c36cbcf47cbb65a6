/**
 * Program that shows a notification with node-notifier. Reads a `NodeNotifierRequest` from standard input. Exits with 0
 * if the notification was shown, `switchedOffCode` if the system's settings forbid notifications, or else 1.
 */
import childProcess, { type ExecFileException } from "node:child_process";
import { readFileSync } from "node:fs";
import { type NodeNotifierRequest, switchedOffCode } from "./node-notifier-request.ts";

/** Time in milliseconds after which a Windows notification counts as shown, although its program is still running. */
const toastShownMs = 1500;

/**
 * Exit codes that mean that the notification was shown. For a toast, they mean clicked, hidden by its program,
 * dismissed and timed out. Codes 4 and 5 are for buttons and text boxes, which beckon does not use.
 * https://github.com/KDE/snoretoast/blob/v0.7.0/data/help.txt · https://www.paralint.com/projects/notifu/
 */
const successCodes = { center: [0], toaster: [0, 1, 2, 3], balloon: [2, 3, 4, 6, 7, 8] } as const;
/**
 * Text on SnoreToast's standard error if Windows forbids notifications. The exit code is then 0, as after a click.
 * https://github.com/KDE/snoretoast/blob/v0.7.0/src/snoretoasts.cpp
 */
const switchedOff = "Notifications are disabled";
/** Display time of a balloon, milliseconds. Without a limit, Notifu never exits. */
const balloonShownMs = 10_000;

// node-notifier prints every text to standard output if DEBUG contains "notifier".
delete process.env["DEBUG"];

async function show({ driver, title, message, icon, id, program: customPath }: NodeNotifierRequest): Promise<void> {
  exitWithProgram(successCodes[driver]);
  const finish = (error: unknown) => error && process.exit(1);
  if (driver === "center") {
    const { default: NotificationCenter } = await import("node-notifier/notifiers/notificationcenter.js");
    // Without `timeout: false`, or with `wait`, terminal-notifier keeps running and removes the notification after
    // 10 s.
    const request = { title, message, group: `${id}`, timeout: false as const, ...(icon && { contentImage: icon }) };
    new NotificationCenter({ customPath, withFallback: false }).notify(request, finish);
  } else if (driver === "balloon") {
    const { default: WindowsBalloon } = await import("node-notifier/notifiers/balloon.js");
    new WindowsBalloon({ customPath, withFallback: false }).notify({ title, message, time: balloonShownMs }, finish);
    setTimeout(() => process.exit(0), toastShownMs);
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
 * Makes this process exit with the result of the program that node-notifier starts. node-notifier's own result is
 * wrong: it reports success if a toaster could not be started, and failure for any line on standard error.
 */
function exitWithProgram(successes: readonly number[]): void {
  const execFile = childProcess.execFile as (file: string, args: string[], done: Done) => unknown;
  const watched = (file: string, args: string[], done?: Done) =>
    execFile(file, args, (error, _, stderr) => {
      done?.(null, "", ""); // makes node-notifier close its pipe
      if (stderr.includes(switchedOff)) process.exit(switchedOffCode);
      const code = error ? error.code : 0;
      process.exit(typeof code === "number" && successes.includes(code) ? 0 : 1);
    });
  Object.assign(childProcess, { execFile: watched });
}
type Done = (error: ExecFileException | null, stdout: string, stderr: string) => void;

show(JSON.parse(readFileSync(0, "utf8")) as NodeNotifierRequest).catch(() => process.exit(1));
