import { readFileSync } from "node:fs";
import * as z from "zod";
import { agentNamed } from "../agents/registry.ts";
import type { AgentEvent } from "../core/event.ts";
import { eventNames } from "../core/vocabulary.ts";
import { writeStateFile } from "./state-file.ts";

const firingSchema = z.object({
  id: z.string(),
  atMs: z.number(),
  agent: z.string(),
  session: z.string(),
  event: z.string(),
  firing: z.string(),
  type: z.string().optional(),
  turn: z.string().optional(),
  /** An event that was skipped is no reason to skip another. */
  skipped: z.boolean(),
});
/** A firing that came in lately, as far as later ones are judged by it. */
type Firing = Readonly<z.output<typeof firingSchema>>;

const repeatMs = 2_000;
const headlessEndMs = 30_000;
const memoryMs = 5 * 60_000;
const memoryMax = 500;

/** Remembers the firings of the last minutes, over worker restarts too, and judges new ones by them. */
export class RecentFirings {
  #firings: Firing[] = [];
  readonly #file: string;
  #changed = false;

  constructor(file: string) {
    this.#file = file;
    this.#firings = readFirings(file);
  }

  /**
   * Judges an event by what came before it and remembers it. For each event once, in the order in which they came in.
   * @returns the event, its kind corrected, with `skip` set if it only repeats what is known
   */
  judge(event: AgentEvent): AgentEvent {
    const mine = firingOf(event);
    const earlier = this.#firings.filter(
      ({ id, agent, session, atMs }) =>
        id !== mine.id && agent === mine.agent && session === mine.session && atMs <= mine.atMs,
    );
    const skip = event.skip ?? repeatOf(mine, earlier) ?? echoOf(event, mine, earlier);
    const memory = this.#firings.filter(({ id, atMs }) => id !== mine.id && Math.abs(mine.atMs - atMs) < memoryMs);
    this.#firings = [...memory, { ...mine, skipped: skip !== undefined }].slice(-memoryMax);
    this.#changed = true;
    const failed = endedOddly(event) && !stoppedLately(mine, earlier);
    return { ...event, kind: failed ? "failed" : event.kind, ...(skip && { skip }) };
  }

  /** Writes the memory to disk if it changed. Losing it costs a doubled notice at worst. */
  save(): void {
    if (!this.#changed) return;
    writeStateFile(this.#file, this.#firings);
    this.#changed = false;
  }
}

function repeatOf(mine: Firing, earlier: readonly Firing[]): string | undefined {
  if (!(eventNames as readonly string[]).includes(mine.event)) return undefined;
  const same = earlier.some(
    ({ event, type, turn, atMs, skipped }) =>
      !skipped && event === mine.event && type === mine.type && turn === mine.turn && mine.atMs - atMs < repeatMs,
  );
  return same ? "a repeat within two seconds" : undefined;
}

function echoOf(event: AgentEvent, mine: Firing, earlier: readonly Firing[]): string | undefined {
  const rules = agentNamed(event.agent)?.echoes ?? [];
  const rule = rules.find(
    ({ firing, notificationType, after, withinMs }) =>
      firing === mine.firing &&
      (notificationType === undefined || notificationType === event.notificationType) &&
      earlier.some((one) => !one.skipped && one.firing === after && mine.atMs - one.atMs < withinMs),
  );
  return rule && `an echo of the ${rule.after} before it`;
}

function endedOddly({ agent, event, reason }: AgentEvent): boolean {
  return event === "SessionEnd" && reason === "other" && !agentNamed(agent)?.endsAsOther;
}

function stoppedLately(mine: Firing, earlier: readonly Firing[]): boolean {
  return earlier.some(({ event, atMs }) => event === "Stop" && mine.atMs - atMs < headlessEndMs);
}

/** A session ends once, whatever turn it names. */
function firingOf({ id, atMs, agent, sessionId, cwd, event, firing, notificationType, turnId }: AgentEvent): Firing {
  const session = sessionId ?? `in ${cwd}`;
  const turn = event === "SessionEnd" ? undefined : turnId;
  return { id, atMs, agent, session, event, firing, type: notificationType, turn, skipped: false };
}

function readFirings(file: string): Firing[] {
  try {
    return z.array(firingSchema).parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return []; // none yet, torn, or another version's: the memory starts anew
  }
}
