import { at, parseObject, toList } from "../../core/json-value.ts";
import { readQuietly } from "../../files/read-file.ts";
import type { Source } from "./question.ts";

/**
 * Presence sources on macOS that need no permission from the user. None of them knows which tab of a terminal is
 * active. Only tested with stubs, never on a Mac.
 */
export const macSources: readonly Source[] = [
  // https://developer.apple.com/library/archive/qa/qa1340/
  async ({ run }) => {
    const nanoseconds = /"HIDIdleTime" = (\d+)/.exec(
      (await run("ioreg", ["-r", "-d", "1", "-k", "HIDIdleTime"])) ?? "",
    );
    return nanoseconds ? { idleMs: Number(nanoseconds[1]) / 1e6 } : {};
  },
  // https://stackoverflow.com/questions/11505255/osx-check-if-the-screen-is-locked
  async ({ run }) => {
    const root = (await run("ioreg", ["-n", "Root", "-d", "1"])) ?? "";
    return /"CGSSessionScreenIsLocked"=Yes/.test(root) ? { isLocked: true } : {};
  },
  // Not documented by Apple. The file is unreadable without Full Disk Access.
  async ({ home }) => {
    const text = readQuietly(`${home}/Library/DoNotDisturb/DB/Assertions.json`);
    const [data] = toList(at(parseObject(text ?? ""), "data"));
    return data === undefined ? {} : { isDoNotDisturb: toList(at(data, "storeAssertionRecords")).length > 0 };
  },
];
