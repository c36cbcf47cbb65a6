import { basename } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import type { DesktopDriver } from "../core/machine-ports.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ExecPort } from "../core/ports.ts";
import { sessionBusAddress } from "./desktop-session-bus.ts";
import { noSuchProgram } from "./which.ts";

const timeoutMs = 3000;
/**
 * GLib's messages for a missing bus or notification service. Without a bus it starts `dbus-launch`, which may be
 * missing or fail without a display (Debian's dbus-x11): "Error spawning command line".
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
/** Environment that keeps GLib from translating the messages above. */
const untranslated = { LC_ALL: "C.UTF-8" };

/**
 * Creates the desktop port for libnotify's `notify-send`, on desktops that follow the freedesktop specification. Texts
 * are masked, because other users can read arguments. Also runs the user's own program with the same arguments.
 * https://specifications.freedesktop.org/notification-spec/latest/
 */
export function createNotifySend(exec: ExecPort, env: NodeJS.ProcessEnv): DesktopDriver {
  const find = (own: string | undefined) => (own === undefined ? exec.driver("notify-send") : exec.which(own));
  const findObstacle = (own?: string): DeliveryError | undefined => {
    if (own !== undefined) return find(own) === undefined ? noSuchProgram(own) : undefined;
    // First, because no program helps without a session.
    if (!hasSession(env)) return noSession();
    return find(own) === undefined ? noProgram() : undefined;
  };
  return {
    obstacle: findObstacle,
    async notify({ title, body, program: own, mask, signal, ...appearance }) {
      const obstacle = findObstacle(own);
      if (obstacle) throw obstacle;
      const program = find(own) ?? "notify-send";
      const args = notifySendArgs(mask(title), mask(body), appearance);
      const { exitCode, stderr } = await exec.run({ file: program, args, env: untranslated, timeoutMs, signal });
      // Its id is useless without the service's bus name, which notify-send does not print.
      if (exitCode === 0) return undefined;
      if (noServiceMessages.some((text) => stderr.includes(text))) throw noService();
      throw new DeliveryError("unavailable", `${basename(program)} exited with code ${exitCode}`);
    },
  };
}

type Appearance = Pick<Parameters<DesktopDriver["notify"]>[0], "urgency" | "icon" | "category">;

/** Builds the arguments of notify-send. `--` keeps texts from becoming options. */
export function notifySendArgs(title: string, body: string, { urgency, icon, category }: Appearance): string[] {
  const texts = [title.trim() || "beckon", escapeBody(body)].filter((text) => text !== "");
  const appearanceArgs = Object.entries(omitUndefined({ urgency, icon, category })).map(
    ([name, value]) => `--${name}=${value}`,
  );
  return ["--app-name=beckon", ...appearanceArgs, "--", ...texts];
}

/**
 * Escapes a body for notify-send. Notification services read it as markup, and notify-send expands backslash escapes in
 * it (g_strcompress), but not in the title: https://gitlab.gnome.org/GNOME/libnotify/-/blob/master/tools/notify-send.c
 */
export function escapeBody(body: string): string {
  return body.replace(/[&<>\\]/g, (character) => escapes[character] ?? character);
}
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\\": "\\\\" };

/** Checks for a session bus, or a display with which notify-send finds the bus. */
function hasSession(env: NodeJS.ProcessEnv): boolean {
  return Boolean(sessionBusAddress(env) || env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}

function noProgram(): DeliveryError {
  return new DeliveryError("unsupported", "notify-send is not installed", {
    hint: "Install libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch).",
  });
}

function noSession(): DeliveryError {
  return new DeliveryError("unsupported", "there is no desktop session: no session bus and no display", {
    hint: "To show notifications in the agent's terminal (works over SSH): beckon config add terminal",
  });
}

function noService(): DeliveryError {
  return new DeliveryError("unsupported", "no notification service is running in this session", {
    hint: "Start a notification daemon, for example dunst or mako, or use another notifier.",
  });
}
