import { statSync } from "node:fs";
import { join } from "node:path";
import { listQuietly } from "../../files/read-file.ts";
import type { Source } from "./question.ts";

/** Source for the idle time, as `w` shows it: the time since the last input on any terminal or console of this user. */
export const ttySource: Source = async () => {
  const times = [...namesIn("/dev/pts", /^\d+$/), ...namesIn("/dev", /^tty\d+$/)].flatMap(
    (device) => typedAtMs(device) ?? [],
  );
  return times.length > 0 ? { idleMs: Math.max(0, Date.now() - Math.max(...times)) } : {};
};

function namesIn(folder: string, pattern: RegExp): string[] {
  return listQuietly(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
}

/**
 * Returns the time of the last input on a terminal, Unix milliseconds: the terminal's access time, which Linux updates
 * when a program reads input. Undefined if there was no input since the terminal was opened, or if another user owns
 * it.
 */
export function typedAtMs(device: string): number | undefined {
  const found = statSync(device, { throwIfNoEntry: false });
  if (!found?.isCharacterDevice() || found.uid !== process.getuid?.()) return undefined;
  return found.atimeMs > found.ctimeMs ? found.atimeMs : undefined;
}
