import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { at, parseObject, toList } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort, Presence, PresencePort } from "../../core/ports.ts";
import { checkedEnvironment, desktopVariables } from "../../core/terminal-environment.ts";
import { homeDirectory } from "../../files/paths.ts";
import { readQuietly } from "../../files/read-file.ts";
import { findInTerminals, findLastTerminal } from "../process-terminal.ts";
import { isFocused } from "./active-window.ts";
import { createBuses, gnomeSource, logindSource, sessionBusSources } from "./bus-sources.ts";
import { createRunner, findSeat, type Question, type Source } from "./question.ts";
import { ttySource, typedAtMs } from "./terminals.ts";
import { x11IdleMs } from "./x11.ts";

/** Dependencies of the presence port. By default, those of this machine. */
export interface PresenceOptions {
  /** The worker's environment, from which desktop variables are taken that the agent's environment lacks. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  /** Path of the system bus socket. */
  readonly systemBus?: string;
  /** Longest time that `ask` may take by default, milliseconds. */
  readonly limitMs?: number;
}

const linuxSources: readonly Source[] = [
  async (question) => omitUndefined({ isFocused: question.seat && (await isFocused(question.seat, question)) }),
  async ({ seat }) => omitUndefined({ typedAtMs: seat && typedAtMs(seat.device) }),
  async ({ env, signal }) => omitUndefined({ idleMs: await x11IdleMs(env, signal) }),
  ttySource,
  logindSource,
  ...sessionBusSources,
  gnomeSource,
];

/** Creates the port that detects if the user is at this machine. Windows has no source that is fast enough. */
export function createPresence(exec: ExecPort, options: PresenceOptions = {}): PresencePort {
  const { env = process.env, platform = process.platform, limitMs: usualLimitMs = 100 } = options;
  const { systemBus = "/run/dbus/system_bus_socket" } = options;
  const sources = platform === "linux" ? linuxSources : platform === "darwin" ? macSources : [];
  let isPrepared = false;
  const port: PresencePort = {
    prepare(processes) {
      if (!isPrepared) void port.ask(processes);
      isPrepared = true;
    },
    async ask(processes, limitMs = usualLimitMs) {
      const seat = platform === "linux" ? findSeat(processes) : undefined;
      const known = { ...checkedEnvironment(env, desktopVariables), ...seat?.env };
      const limit = new AbortController();
      setMaxListeners(0, limit.signal); // one listener for each socket and program
      const question: Question = {
        ...(seat && { seat }),
        env: known,
        home: homeDirectory(env),
        signal: limit.signal,
        call: createBuses(known, env, systemBus, limit.signal),
        run: createRunner(exec, limitMs, limit.signal),
      };
      const answers = await answersWithin(limitMs, sources, question);
      limit.abort(); // closes connections and ends programs
      return mergeAnswers(answers);
    },
    typedAtMs(processes) {
      const found = platform === "linux" ? findLastTerminal(processes) : undefined;
      return found && typedAtMs(found.device);
    },
    findInTerminals: (names) => (platform === "linux" ? findInTerminals(names) : []),
    noticesKeys: (processes) => platform === "linux" && findLastTerminal(processes) !== undefined,
  };
  return port;
}

/** Collects the answers that arrive within the time limit. */
async function answersWithin(limitMs: number, sources: readonly Source[], question: Question): Promise<Presence[]> {
  const answers: Presence[] = [];
  const asked = sources.map(async (source) => {
    const answer = await source(question).catch(() => ({})); // a failed source knows nothing
    answers.push(answer);
  });
  await Promise.race([Promise.all(asked), sleep(limitMs, undefined, { signal: question.signal })]);
  return [...answers];
}

/** Merges answers. The shortest of several idle times counts. A yes-or-no question is true if any source says yes. */
function mergeAnswers(answers: readonly Presence[]): Presence {
  const idle = answers.flatMap(({ idleMs }) => idleMs ?? []);
  const either = (key: "isFocused" | "isLocked" | "isDoNotDisturb") => {
    const known = answers.flatMap((answer) => answer[key] ?? []);
    return known.length > 0 ? { [key]: known.includes(true) } : {};
  };
  return {
    ...Object.assign({}, ...answers),
    ...(idle.length > 0 && { idleMs: Math.min(...idle) }),
    ...either("isFocused"),
    ...either("isLocked"),
    ...either("isDoNotDisturb"),
  };
}

/**
 * Presence sources on macOS that need no permission from the user. None of them knows which tab of a terminal is
 * active. Only tested with stubs, never on a Mac.
 */
const macSources: readonly Source[] = [
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
