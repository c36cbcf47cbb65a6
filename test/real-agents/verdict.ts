import type { RealAgent } from "./agents/agent.ts";
import type { Expectation, ExpectedCall, KnownFault } from "./expected.ts";
import type { Played } from "./play-result.ts";
import { linesOn } from "./screens.ts";
import type { Call } from "./session.ts";

/** Result of a scenario's runs. */
export interface Verdict {
  /** `known` is a listed fault that still exists; `fixed` a listed fault that is gone. */
  readonly outcome: "ok" | "known" | "fixed" | "FAILED";
  /** Expected kinds in order, by their first letters. */
  readonly expected: string;
  readonly got: string;
  /** A description of each difference. */
  readonly differences: readonly string[];
  /**
   * True if only the screens or the model's input differ. They vary at random, so repeated runs remove such
   * differences.
   */
  readonly onlyScreens: boolean;
  /** Deviations of the agent from the scenario, perhaps for lack of time on a busy machine; empty if none. */
  readonly stuck: readonly string[];
}

/**
 * Runs of a scenario: one of each kind, unless some were repeated. A scenario without a terminal has no runs without
 * hooks.
 */
export interface Runs {
  readonly withHooks: readonly [Played, ...Played[]];
  readonly bare: readonly Played[];
}

const aboutHooks = /hook|beckon/i;

const letters: Readonly<Record<string, string>> = { "needs-you": "N", failed: "F", finished: "D" };

/** Compares rings and screens with the expected ones. */
export function judge(agent: RealAgent, { calls: wanted, known }: Expectation, runs: Runs): Verdict {
  const { calls, troubles } = runs.withHooks[0];
  const faults = callDifferences(wanted, calls);
  const shown = linesFromHooks(runs);
  const allowed = [...agent.printsAboutHooks, ...agent.varies];
  const foreign = shown.filter((line) => !allowed.some((pattern) => pattern.test(line)));
  const modelLines = findModelLines(runs).filter((line) => !agent.tellsOfHooks?.some((pattern) => pattern.test(line)));
  const lines = [
    ...foreign.map((line) => `only with hooks, the screen has: ${line}`),
    ...modelLines.map((line) => `only with hooks, the model gets: ${line}`),
  ];
  const ofBare = runs.bare.flatMap((run) => run.troubles);
  const stuck = [...troubles, ...ofBare.map((trouble) => `without hooks: ${trouble}`)];
  const isBroken = stuck.length > 0 || lines.length > 0;
  return {
    outcome: isBroken ? "FAILED" : readOutcome(faults.length > 0, known),
    expected: listKinds(wanted),
    got: listKinds(calls),
    differences: [...stuck, ...faults, ...lines, ...(known ? [`known: ${known.reason}`] : [])],
    stuck,
    onlyScreens: lines.length > 0 && stuck.length === 0,
  };
}

function readOutcome(isFaulty: boolean, known: KnownFault | undefined): Verdict["outcome"] {
  if (!known) return isFaulty ? "FAILED" : "ok";
  if (isFaulty || known.sometimes) return "known";
  return "fixed";
}

function listKinds(calls: readonly { readonly kind: string }[]): string {
  return calls.map(({ kind }) => letters[kind] ?? kind).join(" ") || "–";
}

function callDifferences(wanted: readonly ExpectedCall[], calls: readonly Call[]): string[] {
  const texts = calls.map(({ title, body }) => `${title}\n${body}`);
  const differences =
    listKinds(wanted) === listKinds(calls) ? [] : [`rang ${listKinds(calls)} instead of ${listKinds(wanted)}`];
  wanted.forEach(({ kind, holds }, index) => {
    const text = texts[index] ?? "";
    const isIn = typeof holds === "string" ? text.includes(holds) : holds.test(text);
    if (calls[index]?.kind === kind && !isIn) differences.push(`call ${index + 1} lacks: ${holds}`);
  });
  texts.forEach((text, index) => {
    if (text.includes('{"')) differences.push(`call ${index + 1} is raw JSON`);
  });
  const all = texts.map((text, index) => `call ${index + 1}: ${text.replaceAll("\n", " ⏎ ").slice(0, 300)}`);
  return differences.length === 0 ? [] : [...differences, ...all];
}

/** Finds lines that exist only with hooks: those about hooks or beckon, and those in every run with hooks. */
function linesFromHooks({ withHooks, bare }: Runs): string[] {
  if (bare.length === 0) return [];
  const without = new Set(bare.flatMap(({ screens, printed }) => [...linesOn(screens), ...printed]));
  const shown = withHooks.map(({ screens }) => linesOn(screens));
  const lasts = (line: string) => aboutHooks.test(line) || shown.every((lines) => lines.has(line));
  const lasting = [...(shown[0] ?? [])].filter(lasts);
  return [...new Set([...lasting, ...(withHooks[0]?.printed ?? [])])].filter((line) => !without.has(line));
}

/** Finds lines of the model's input that are in every run with hooks, and in no run without. */
function findModelLines({ withHooks, bare }: Runs): string[] {
  if (bare.length === 0) return [];
  const without = new Set(bare.flatMap(({ modelLines }) => modelLines));
  const lasts = (line: string) => withHooks.every(({ modelLines }) => modelLines.includes(line));
  return withHooks[0].modelLines.filter((line) => !without.has(line) && lasts(line));
}
