import { basename } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import type { DesktopDriver } from "../core/machine-ports.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ExecPort } from "../core/ports.ts";
import { sessionBusAddress } from "./desktop-session-bus.ts";
import { noSuchProgram } from "./which.ts";

const timeoutMs = 3000;
/**
 * What GLib says when there is no bus to connect to, or no notification service on it. Where it finds no bus it starts
 * `dbus-launch`, which is not there, or gives up without a display (Debian's dbus-x11): "Error spawning command line".
 */
const noServiceMessages = [
  "ServiceUnknown",
  "NameHasNoOwner",
  ".Error.Spawn.",
  "Cannot autolaunch",
  "Could not connect",
  "Failed to execute child process",
  "Error spawning command line",
] as const;
/** The messages above are translated into the user's language otherwise. */
const untranslated = { LC_ALL: "C.UTF-8" };

/**
 * Desktop port on libnotify's `notify-send`, for every desktop that follows the freedesktop specification. The texts
 * are its arguments, so that they are masked: other users of the machine can read them. Also runs a program of the
 * user's that takes the same arguments. https://specifications.freedesktop.org/notification-spec/latest/
 */
export function createNotifySend(exec: ExecPort, env: NodeJS.ProcessEnv): DesktopDriver {
  const find = (own: string | undefined) => (own === undefined ? exec.driver("notify-send") : exec.which(own));
  const findObstacle = (own?: string): DeliveryError | undefined => {
    if (own !== undefined) return find(own) === undefined ? noSuchProgram(own) : undefined;
    // First, since without a session no program helps.
    if (!hasSession(env)) return noSession();
    return find(own) === undefined ? noProgram() : undefined;
  };
  return {
    obstacle: findObstacle,
    async notify({ title, body, program: own, mask, signal, ...look }) {
      const obstacle = findObstacle(own);
      if (obstacle) throw obstacle;
      const program = find(own) ?? "notify-send";
      const args = notifySendArgs(mask(title), mask(body), look);
      const { exitCode, stderr } = await exec.run({ file: program, args, env: untranslated, timeoutMs, signal });
      // Its id would be worth nothing without the service's name on the bus, which notify-send does not tell.
      if (exitCode === 0) return undefined;
      if (noServiceMessages.some((text) => stderr.includes(text))) throw noService();
      throw new DeliveryError("unavailable", `${basename(program)} ended with exit code ${exitCode}`);
    },
  };
}

type Look = Pick<Parameters<DesktopDriver["notify"]>[0], "urgency" | "icon" | "category">;

/** The arguments of notify-send. Its options end before the texts, so that no text can become an option. */
export function notifySendArgs(title: string, body: string, { urgency, icon, category }: Look): string[] {
  const texts = [title.trim() || "beckon", escapeBody(body)].filter((text) => text !== "");
  const looks = Object.entries(omitUndefined({ urgency, icon, category })).map(([name, value]) => `--${name}=${value}`);
  return ["--app-name=beckon", ...looks, "--", ...texts];
}

/**
 * A body escaped for notify-send: notification services read it as markup, and notify-send expands backslash escapes in
 * it (g_strcompress), but not in the title: https://gitlab.gnome.org/GNOME/libnotify/-/blob/master/tools/notify-send.c
 */
export function escapeBody(body: string): string {
  return body.replace(/[&<>\\]/g, (character) => escapes[character] ?? character);
}
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\\": "\\\\" };

/** Whether there is a session bus, or a display, with which notify-send finds the bus itself. */
function hasSession(env: NodeJS.ProcessEnv): boolean {
  return Boolean(sessionBusAddress(env) || env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}

function noProgram(): DeliveryError {
  return new DeliveryError("unsupported", "there is no notify-send on this machine", {
    hint: "Install it: the package is libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch).",
  });
}

function noSession(): DeliveryError {
  return new DeliveryError("unsupported", "there is no desktop session here: no session bus and no display", {
    hint: "Here `beckon config add terminal` shows notifications in the agent's own terminal, over SSH too.",
  });
}

function noService(): DeliveryError {
  return new DeliveryError("unsupported", "no notification service runs in this session", {
    hint: "Start a notification daemon, for example dunst or mako, or use another notifier.",
  });
}
