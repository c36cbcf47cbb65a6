import { basename } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { DesktopDriver, ExecPort } from "../core/ports.ts";
import { escapeEntities } from "../text/html.ts";
import { noService, noSession, sessionBusAddress } from "./desktop-session-bus.ts";
import { noSuchProgram } from "./which.ts";

const timeoutMs = 3000;
/**
 * Parts of GLib's messages that mean that the bus or the notification service is missing. Without a bus, GLib runs
 * `dbus-launch`, which may be missing too, or fail without a display (Debian's dbus-x11): "Error spawning command
 * line".
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
/** Environment variable that keeps GLib from translating its messages. */
const untranslated = { LC_ALL: "C.UTF-8" };

/**
 * Creates the desktop driver for libnotify's `notify-send`, on desktops that follow the freedesktop specification.
 * Masks secrets in texts, because other users can read a program's arguments. A program that the user configured gets
 * the same arguments. https://specifications.freedesktop.org/notification-spec/latest/
 */
export function createNotifySend(exec: ExecPort, env: NodeJS.ProcessEnv): DesktopDriver {
  const find = (own: string | undefined) => (own === undefined ? exec.driver("notify-send") : exec.which(own));
  const findObstacle = (own?: string): DeliveryError | undefined => {
    if (own !== undefined) return find(own) === undefined ? noSuchProgram(own) : undefined;
    // Check this first: without a session bus, or a display to find it through, installing a program does not help.
    const hasSession = sessionBusAddress(env) || env["DISPLAY"] || env["WAYLAND_DISPLAY"];
    if (!hasSession) return noSession("no session bus and no display");
    if (find(own) !== undefined) return undefined;
    const hint = "Install libnotify-bin (Debian, Ubuntu) or libnotify (Fedora, Arch).";
    return new DeliveryError("unsupported", "notify-send is not installed", { hint });
  };
  return {
    obstacle: findObstacle,
    async notify({ title, body, program: own, mask, signal, ...appearance }) {
      const obstacle = findObstacle(own);
      if (obstacle) throw obstacle;
      const program = find(own) ?? "notify-send";
      const args = notifySendArgs(mask(title), mask(body), appearance);
      const { exitCode, stderr } = await exec.run({ file: program, args, env: untranslated, timeoutMs, signal });
      // Return no id: closing needs the service's bus name too, which notify-send does not print.
      if (exitCode === 0) return undefined;
      if (noServiceMessages.some((text) => stderr.includes(text))) throw noService();
      const hint = "Is a notification daemon running, for example dunst or mako?";
      throw new DeliveryError("unavailable", `${basename(program)} exited with code ${exitCode}`, { hint });
    },
  };
}

type Appearance = Pick<Parameters<DesktopDriver["notify"]>[0], "urgency" | "icon" | "category">;

/** Builds the arguments for notify-send. `--` keeps texts from being read as options. */
export function notifySendArgs(title: string, body: string, { urgency, icon, category }: Appearance): string[] {
  const texts = [title.trim() || "beckon", escapeBody(body)].filter((text) => text !== "");
  const appearanceArgs = Object.entries(omitUndefined({ urgency, icon, category })).map(
    ([name, value]) => `--${name}=${value}`,
  );
  return ["--app-name=beckon", ...appearanceArgs, "--", ...texts];
}

/**
 * Escapes a body for notify-send. Notification services read the body as markup. notify-send also expands backslash
 * escapes (g_strcompress) in the body, but not in the title:
 * https://gitlab.gnome.org/GNOME/libnotify/-/blob/master/tools/notify-send.c
 */
export function escapeBody(body: string): string {
  return escapeEntities(body).replaceAll("\\", "\\\\");
}
