import { statSync } from "node:fs";
import { join } from "node:path";
import { listQuietly } from "../../files/read-file.ts";
import type { Source } from "./question.ts";

/** Idle as `w` counts it: since the last input at any terminal or console of this user's. */
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
 * When input last came to a terminal of this user's, Unix milliseconds: Linux moves its access time when a program
 * reads input there. Undefined where none has come since it was opened, which sets all its times, and for another
 * user's.
 */
export function typedAtMs(device: string): number | undefined {
  const found = statSync(device, { throwIfNoEntry: false });
  if (!found?.isCharacterDevice() || found.uid !== process.getuid?.()) return undefined;
  return found.atimeMs > found.ctimeMs ? found.atimeMs : undefined;
}
