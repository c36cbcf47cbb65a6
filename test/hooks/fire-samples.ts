import type { JournalLine } from "../../src/journal/journal-line.ts";
import { freshHome } from "../world/fresh-home.ts";
import type { Home, HookResult } from "../world/home.ts";

/** A payload and the way its hook is called. */
export interface Sample {
  readonly name: string;
  readonly agent: string;
  readonly nativeEvent: string;
  /** The compiled entrypoint registered on systems without the launcher. */
  readonly entrypoint: string;
  readonly payload: string;
  /** The session id in the payload. */
  readonly session: string;
}

/** Outcome of a sample. */
export interface Fired {
  readonly result: Pick<HookResult, "exitCode" | "stdout" | "stderr">;
  /** Journal line, which always has `summary`, even if it is undefined. */
  readonly accepted: object;
  /** Reason for which the event was skipped or waits. */
  readonly reason: string | undefined;
}

/** The ways in which an agent may call a hook. */
export const ways = {
  launcher: (home: Home, { nativeEvent, agent }: Sample, payload: string) =>
    home.launch([nativeEvent, "--agent", agent], payload, { cwd: home.paths.root }),
  entrypoint: (home: Home, { entrypoint, agent }: Sample, payload: string) =>
    home.enter(entrypoint, ["--agent", agent], payload, { cwd: home.paths.root }),
} as const;
export type Way = keyof typeof ways;

const atOnce = 4;

/**
 * Fires the hooks of samples in a home without notifiers, each in a separate session so that none counts as a repeat.
 * @returns the outcome of each, by name
 */
export async function fireSamples(way: Way, samples: readonly Sample[]): Promise<Record<string, Fired>> {
  const home = freshHome({ notifiers: {} });
  const results: HookResult[] = [];
  for (let first = 0; first < samples.length; first += atOnce) {
    const batch = samples.slice(first, first + atOnce);
    const fire = (sample: Sample) => ways[way](home, sample, buildPayload(sample));
    results.push(...(await Promise.all(batch.map(fire))));
  }
  const isSkipped = ({ status }: JournalLine) => status === "skipped";
  const isPostponed = ({ status, reason }: JournalLine) => status === "accepted" && reason !== undefined;
  // The journal keeps nothing else of a prompt.
  const isPrompt = ({ event }: JournalLine) => event === "Prompt";
  const isSettled = (lines: JournalLine[], sample: Sample) =>
    lines.some(
      (line) => line.sessionId === identifySession(sample) && (isSkipped(line) || isPostponed(line) || isPrompt(line)),
    );
  const journal = await home.until((lines) => samples.every((sample) => isSettled(lines, sample)), 25_000);
  const fired = samples.map((sample, index): [string, Fired] => {
    const lines = journal.filter(({ sessionId }) => sessionId === identifySession(sample));
    const { exitCode = null, stdout = "", stderr = "" } = results[index] ?? {};
    const line = lines.find(({ status }) => status === "accepted");
    const accepted = { ...line, summary: line?.summary };
    const reason = lines.find((line) => isSkipped(line) || isPostponed(line))?.reason;
    return [sample.name, { result: { exitCode, stdout, stderr }, accepted, reason }];
  });
  return Object.fromEntries(fired);
}

function identifySession({ session, name }: Sample): string {
  return `${session}-${name}`;
}

function buildPayload(sample: Sample): string {
  return sample.payload.replaceAll(sample.session, identifySession(sample));
}
