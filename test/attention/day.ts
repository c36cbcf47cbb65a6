import type { Presence } from "../../src/core/ports.ts";
import type { AttentionWorld, Call, Session } from "../world/attention-world.ts";

/** The six sessions of the day, on three agents. */
export const sessions = {
  shop: { agent: "claude", id: "shop", pid: 4_100_000 },
  api: { agent: "claude", id: "api", pid: 4_100_010 },
  docs: { agent: "droid", id: "docs", pid: 4_100_020 },
  infra: { agent: "droid", id: "infra", pid: 4_100_030 },
  site: { agent: "gemini", id: "site", pid: 4_100_040 },
  data: { agent: "gemini", id: "data", pid: 4_100_050 },
} as const satisfies Readonly<Record<string, Session>>;
type Name = keyof typeof sessions;

/** One step of the day, and its text in the table. */
export interface Happening {
  readonly atMs: number;
  readonly text: string;
  readonly act: (world: AttentionWorld) => void;
}

const prompts = { claude: "UserPromptSubmit", droid: "UserPromptSubmit", gemini: "BeforeAgent" };
const stops = { claude: "Stop", droid: "Stop", gemini: "AfterAgent" };

/** A day in Berlin, with its steps at wall-clock times. */
export class Day {
  readonly happenings: Happening[] = [];
  readonly #offset: string;
  readonly #date: string;
  #turns = 0;

  /** @param date `2026-10-24` @param offset of the wall clock from UTC on that day, `+02:00` */
  constructor(date: string, offset: string) {
    this.#date = date;
    this.#offset = offset;
  }

  prompt(time: string, name: Name): this {
    const { agent } = sessions[name];
    return this.#add(time, `${name}: the user types a prompt`, (world) => {
      world.fire(sessions[name], prompts[agent], { prompt: "go on" });
    });
  }

  done(time: string, name: Name, said: string): this {
    const { agent } = sessions[name];
    return this.#add(time, `${name}: done, "${said}"`, (world) => {
      world.fire(sessions[name], stops[agent], { last_assistant_message: said, prompt_response: said });
    });
  }

  failed(time: string, name: "shop" | "api", error: string): this {
    return this.#add(time, `${name}: failed, "${error}"`, (world) => {
      world.fire(sessions[name], "StopFailure", { error: "server_error", error_details: error });
    });
  }

  asks(time: string, name: Name, command: string): this {
    return this.#add(time, `${name}: asks to run \`${command}\``, (world) => {
      const claude = { tool_name: "Bash", tool_input: { command } };
      const payload = { ...claude, details: { type: "exec", command }, message: command };
      const isClaude = sessions[name].agent === "claude";
      world.fire(sessions[name], isClaude ? "PermissionRequest" : "Notification", payload);
    });
  }

  /** Adds a turn's end while a command still runs in the background. */
  doneButRuns(time: string, name: "shop" | "api", said: string, command: string): this {
    return this.#add(time, `${name}: done, "${said}", while \`${command}\` still runs`, (world) => {
      const background_tasks = [{ id: "t1", type: "shell", status: "running", command }];
      world.fire(sessions[name], "Stop", { last_assistant_message: said, background_tasks });
    });
  }

  ends(time: string, name: Name): this {
    return this.#add(time, `${name}: the session ends`, (world) => {
      world.fire(sessions[name], "SessionEnd", { reason: "exit" });
    });
  }

  /** Adds whole turns in sequence: a prompt, and its end two minutes later. */
  turns(from: string, to: string, everyMinutes: number, name: Name): this {
    const [start, end] = [parseMinute(from), parseMinute(to)];
    for (let minute = start; minute + 2 < end; minute += everyMinutes) {
      this.#turns += 1;
      this.prompt(formatTime(minute), name).done(formatTime(minute + 2), name, `Turn ${this.#turns}`);
    }
    return this;
  }

  person(time: string, text: string, presence: Presence): this {
    return this.#add(time, `the user ${text}`, (world) => {
      world.presence = presence;
    });
  }

  looksAt(time: string, name: Name | undefined): this {
    const text = name === undefined ? "looks at no terminal" : `looks at ${name}'s terminal`;
    return this.#add(time, `the user ${text}`, (world) => {
      world.focused = name && sessions[name];
    });
  }

  typesAt(time: string, name: Name): this {
    return this.#add(time, `the user presses a key in ${name}'s terminal`, (world) => {
      world.typed.set(sessions[name].pid, world.nowMs);
    });
  }

  reboot(time: string): this {
    return this.#add(time, "the machine starts again", (world) => world.reboot());
  }

  #add(time: string, text: string, act: Happening["act"]): this {
    const seconds = time.length === 5 ? `${time}:00` : time;
    this.happenings.push({ atMs: Date.parse(`${this.#date}T${seconds}${this.#offset}`), text, act });
    return this;
  }
}

function parseMinute(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function formatTime(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Sorts simultaneous calls, which come in any order. */
function inOrder(calls: readonly Call[]): Call[] {
  const rank = ({ notifier, message }: Call) => `${notifier} ${String(message).padStart(4, "0")}`;
  return calls.toSorted((a, b) => a.atMs - b.atMs || rank(a).localeCompare(rank(b)));
}

const wall = new Intl.DateTimeFormat("en-GB", {
  ...{ timeZone: "Europe/Berlin", weekday: "short", hourCycle: "h23" },
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
});

/** Plays the steps and describes each with its calls in order, one a line. */
export async function play(world: AttentionWorld, happenings: readonly Happening[], untilMs: number): Promise<string> {
  const lines: string[] = [];
  let shown = 0;
  const drain = (): void => {
    for (const { atMs, notifier, verb, title, body, message } of inOrder(world.calls.slice(shown))) {
      const said = verb === "ring" ? `${title}${body === "" ? "" : `: ${body.replaceAll("\n", " / ")}`}` : title;
      lines.push(`${wall.format(atMs)}      → ${notifier} ${verb} ${message}: ${said}`);
    }
    shown = world.calls.length;
  };
  for (const { atMs, text, act } of happenings.toSorted((a, b) => a.atMs - b.atMs)) {
    await world.workUntil(atMs);
    drain();
    lines.push(`${wall.format(atMs)}  ${text}`);
    act(world);
    await world.work();
    drain();
  }
  await world.workUntil(untilMs);
  drain();
  return `${lines.join("\n")}\n`;
}
