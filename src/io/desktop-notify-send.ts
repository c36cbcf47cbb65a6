import { DeliveryError } from "../core/errors.ts";
import type { DesktopPort } from "../core/machine-ports.ts";
import type { ExecPort } from "../core/ports.ts";
import { sessionPlaces } from "./child-env.ts";

const timeoutMs = 3000;
/** What GLib says when there is no bus to connect to, or nobody on it who shows notifications. */
const nobodyThere =
  /ServiceUnknown|NameHasNoOwner|\.Error\.Spawn\.|Cannot autolaunch|Could not connect|Failed to execute child process/;
/** The messages above are translated. */
const untranslated = { LC_ALL: "C.UTF-8" };

/**
 * Shows notifications on any desktop that keeps the freedesktop specification, through libnotify's `notify-send`.
 * https://specifications.freedesktop.org/notification-spec/latest/
 */
export function createNotifySend(exec: ExecPort, env: NodeJS.ProcessEnv): DesktopPort {
  const inTheWay = (): DeliveryError | undefined => {
    if (exec.which("notify-send") === undefined) return noProgram();
    return hasSession(env) ? undefined : noSession();
  };
  return {
    obstacle: () => inTheWay()?.message,
    async notify({ title, body, urgency, signal }) {
      const obstacle = inTheWay();
      if (obstacle) throw obstacle;
      const program = "notify-send";
      const args = notifySendArgs(title, body, urgency);
      const { exitCode, stderr } = await exec.run({ file: program, args, env: untranslated, timeoutMs, signal });
      if (exitCode === 0) return;
      if (nobodyThere.test(stderr)) throw noService();
      throw new DeliveryError("unavailable", `notify-send ended with exit code ${exitCode}`);
    },
  };
}

/** What notify-send is called with. Options end before the texts, so that none of them can become one. */
export function notifySendArgs(title: string, body: string, urgency: "low" | "normal" | "critical"): string[] {
  const texts = [title.trim() || "beckon", escapeBody(body)].filter((text) => text !== "");
  return ["--app-name=beckon", `--urgency=${urgency}`, "--", ...texts];
}

/**
 * A body as notify-send wants it: servers read it as markup, and notify-send itself expands backslash escapes in it
 * (g_strcompress), not in the title: https://gitlab.gnome.org/GNOME/libnotify/-/blob/master/tools/notify-send.c
 */
export function escapeBody(body: string): string {
  return body.replace(/[&<>\\]/g, (character) => escapes[character] ?? character);
}
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\\": "\\\\" };

/** A session bus is enough; with a display alone notify-send finds the bus itself. */
function hasSession(env: NodeJS.ProcessEnv): boolean {
  if (env["DBUS_SESSION_BUS_ADDRESS"] || env["DISPLAY"] || env["WAYLAND_DISPLAY"]) return true;
  return sessionPlaces(env)["DBUS_SESSION_BUS_ADDRESS"] !== undefined;
}

function noProgram(): DeliveryError {
  return new DeliveryError("unsupported", "there is no notify-send on this machine", {
    hint: "Install it: the package is libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch).",
  });
}

function noSession(): DeliveryError {
  return new DeliveryError("unsupported", "there is no desktop session here: no session bus and no display", {
    hint: "On a machine without a desktop use another notifier, for example slack or webhook.",
  });
}

function noService(): DeliveryError {
  return new DeliveryError("unsupported", "no notification service runs in this session", {
    hint: "Start a notification daemon, for example dunst or mako, or use another notifier.",
  });
}
