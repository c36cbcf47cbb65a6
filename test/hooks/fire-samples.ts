import { expect } from "vitest";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { freshHome } from "../world/fresh-home.ts";
import type { Home, HookResult } from "../world/home.ts";

/** A payload, its hook and its meaning. */
export interface Sample {
  readonly name: string;
  readonly agent: string;
  readonly nativeEvent: string;
  readonly payload: string;
  /** The session id in the payload. */
  readonly session: string;
  /** Expected in the journal. A `summary` that is undefined must be absent there. */
  readonly meaning: { readonly event: string; readonly kind: string; readonly summary?: string | undefined };
  /** The expected reason for which the event is skipped or waits. */
  readonly reason: RegExp | undefined;
}

/** Compiled entrypoints registered on systems without the launcher. All other events have that of notifications. */
const entrypoints: Readonly<Record<string, string>> = {
  ...{ Stop: "stop", SubagentStop: "subagent-stop", SessionEnd: "session-end", Prompt: "prompt" },
};

const replies: Readonly<Record<string, string>> = { cursor: "{}", droid: '{"suppressOutput":true}' };

/** The ways in which an agent may call a hook. */
export const callHook = {
  launcher: (home: Home, { nativeEvent, agent }: Sample, payload: string) =>
    home.launch([nativeEvent, "--agent", agent], payload, { cwd: home.paths.root }),
  entrypoint: (home: Home, { meaning, agent }: Sample, payload: string) =>
    home.enter(entrypoints[meaning.event] ?? "notification", ["--agent", agent], payload, { cwd: home.paths.root }),
} as const;
const atOnce = 4;

/**
 * Fires the hooks of samples in a home without notifiers, each in a separate session so that none counts as a repeat.
 * Fails if one has another meaning.
 */
export async function expectMeanings(way: keyof typeof callHook, samples: readonly Sample[]): Promise<void> {
  const home = freshHome({ notifiers: {} });
  const results: HookResult[] = [];
  for (let first = 0; first < samples.length; first += atOnce) {
    const batch = samples.slice(first, first + atOnce);
    const fire = (sample: Sample) =>
      callHook[way](home, sample, sample.payload.replaceAll(sample.session, identifySession(sample)));
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
  const fired = samples.map((sample, index) => {
    const lines = journal.filter(({ sessionId }) => sessionId === identifySession(sample));
    const line = lines.find(({ status }) => status === "accepted");
    const reason = lines.find((line) => isSkipped(line) || isPostponed(line))?.reason;
    return { name: sample.name, result: results[index], accepted: { ...line, summary: line?.summary }, reason };
  });
  const expected = samples.map((sample) => ({
    name: sample.name,
    result: { exitCode: 0, stderr: "", stdout: replies[sample.agent] ?? "" },
    accepted: { agent: sample.agent, sessionId: identifySession(sample), project: "shop", ...sample.meaning },
    reason: sample.reason && expect.stringMatching(sample.reason),
  }));
  expect(fired).toMatchObject(expected);
}

function identifySession({ session, name }: Sample): string {
  return `${session}-${name}`;
}
