import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { background, eventually } from "./background.ts";
import { startSessionBus } from "./desktop-session.ts";

const program = "/usr/lib/notification-daemon/notification-daemon";
/** Middle of each button, from the right and from the lower edge of a bubble. */
const buttons = {
  allow: { right: 135, bottom: 38 },
  deny: { right: 191, bottom: 38 },
  /** The second of two options of a question. */
  option: { right: 186, bottom: 38 },
} as const;

const minBubbleHeight = 60;
/** Place and size of a bubble with two lines of text, which are used if X does not list the bubble. */
const usualBubble = { x: 618, y: 6, width: 400, height: 160 } as const;

interface Geometry {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A desktop whose notification daemon shows buttons. */
export type ButtonDesktop = Awaited<ReturnType<typeof startButtonDesktop>>;

/** Starts dbus-daemon, Xvfb, openbox and notification-daemon. @param display number of the X server */
export async function startButtonDesktop(display: number) {
  if (!existsSync(program)) throw new Error(`There is no ${program}; scripts/install-real.sh installs it.`);
  const bus = await startSessionBus();
  const started = background();
  const env: NodeJS.ProcessEnv = { ...bus.env, DISPLAY: `:${display}` };
  const xdotool = (...args: readonly string[]): string | undefined => {
    try {
      return execFileSync("xdotool", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch (error) {
      const { stdout } = error as { readonly stdout?: string };
      return stdout || undefined; // no such window yet, or one that has just gone
    }
  };
  started.start("Xvfb", [`:${display}`, "-screen", "0", "1024x768x24", "-nolisten", "tcp"], { env: bus.env });
  await eventually("Xvfb", async () => xdotool("getdisplaygeometry"));
  started.start("openbox", [], { env });
  started.start(program, [], { env });
  const measure = (window: string): Geometry | undefined => {
    const found = xdotool("getwindowgeometry", "--shell", window);
    if (found === undefined) return undefined;
    const read = (name: string) => Number(new RegExp(`^${name}=(\\d+)`, "m").exec(found)?.[1]);
    return { x: read("X"), y: read("Y"), width: read("WIDTH"), height: read("HEIGHT") };
  };
  /** Bubbles on the screen. The daemon's other windows are tiny. */
  const findBubbles = (): Geometry[] => {
    const windows = xdotool("search", "--class", "otification-daemon")?.trim().split("\n") ?? [];
    return windows
      .flatMap((window) => measure(window) ?? [])
      .filter(({ x, height }) => x >= usualBubble.x && height > minBubbleHeight);
  };
  const isVisible = () => {
    const corner = `1x1+${usualBubble.x + 20}+${usualBubble.y + 10}`;
    const options = { env, encoding: "utf8" } as const;
    const colour = execFileSync("import", ["-window", "root", "-crop", corner, "-depth", "8", "txt:-"], options);
    return /#(?!000000)[0-9A-F]{6}/.test(colour);
  };
  return {
    /** A program's environment for this desktop. */
    env,
    /** True while a bubble is visible. */
    hasBubble: isVisible,
    /** Presses a button of the newest bubble with the mouse. @param screenshot file for a picture of the screen before */
    async press(button: keyof typeof buttons, screenshot?: string) {
      await eventually("a bubble", async () => isVisible() || undefined);
      const { x, y, width, height } = findBubbles().at(-1) ?? usualBubble;
      if (screenshot !== undefined) execFileSync("import", ["-window", "root", screenshot], { env });
      const { right, bottom } = buttons[button];
      xdotool("mousemove", `${x + width - right}`, `${y + height - bottom}`, "sleep", "0.3", "click", "1");
    },
    async stop() {
      await started.stop();
      await bus.stop();
    },
  };
}
