import { askedQuestion, markerCommand } from "./model/script.ts";
import { refusal } from "./model/server.ts";

/** One call that a person should get: its kind, and what its title or body must contain. */
export interface ExpectedCall {
  readonly kind: "needs-you" | "failed" | "finished";
  readonly holds: string;
}

const needsYou = (holds: string): ExpectedCall => ({ kind: "needs-you", holds });
const failed = (holds: string): ExpectedCall => ({ kind: "failed", holds });
const finished = (holds: string): ExpectedCall => ({ kind: "finished", holds });

const done = finished("All done: the file was reviewed.");
const closing = finished("I can do it two ways: A or B. Which one do you want?");
const subAgent = finished("The sub-agent finished.");
const asked = needsYou(markerCommand);

/** What should ring in every agent. */
const everywhere: Readonly<Record<string, readonly ExpectedCall[]>> = {
  headless: [done],
  "headless-refused": [failed(refusal(400))],
  "headless-broken": [failed(refusal(500))],
  "headless-permission": [finished("")],
  "headless-interrupted": [],
  plain: [done],
  "question-at-end": [closing],
  "permission-yes": [asked, finished("The command ran.")],
  "permission-no": [asked],
  "permission-two": [needsYou("touch made-a.txt"), needsYou("touch made-b.txt"), finished("Both commands ran.")],
  question: [needsYou(askedQuestion), finished("Thanks for the answer.")],
  refused: [failed(refusal(400))],
  flaky: [finished("Recovered and done.")],
  empty: [finished("")],
  interrupted: [],
  "sub-agent": [subAgent],
  "sub-agent-permission": [asked, subAgent],
  "sub-agent-refused": [finished("The sub-agent failed.")],
  "sub-agent-background": [finished("The sub-agent is on its way.")],
  "background-shell": [needsYou("sleep 15"), finished("The build runs in the background.")],
  "exit-late": [done],
  idle: [done],
  clear: [done],
  compact: [done],
  resume: [done, closing],
  "ctrl-c": [done],
  "ctrl-d": [done],
  killed: [done],
  "hang-up": [done],
};

/** Where an agent differs by its nature; each says why. */
const differences: Readonly<Record<string, Readonly<Record<string, readonly ExpectedCall[]>>>> = {
  // It runs `sleep` without asking.
  claude: { "background-shell": [finished("The build runs in the background.")] },
  // It runs no hook after an error in the terminal.
  codex: { refused: [] },
  // It runs no hook after an error without a terminal, and asks before it starts a sub-agent.
  qwen: { "headless-refused": [], "headless-broken": [], "sub-agent": [needsYou("agent"), subAgent] },
  // It has no hook for questions.
  kimi: { question: [finished("Thanks for the answer.")] },
};

const touchesUnasked = "it runs a harmless command without asking";

/** Scenarios that cannot be played with an agent, and why not. */
export const unplayable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  codex: { question: "its question tool is for plan mode only" },
  grok: {
    "permission-yes": touchesUnasked,
    "permission-no": touchesUnasked,
    "permission-two": touchesUnasked,
    "sub-agent-permission": touchesUnasked,
  },
};

/** A fault that is known: the run passes while it is there, and fails once it is gone, so that the entry is removed. */
export interface KnownFault {
  readonly reason: string;
  /** It comes and goes: both outcomes pass. */
  readonly sometimes?: true;
}

const known = (reason: string): KnownFault => ({ reason });

const lacksTool = known("the notification does not name the tool, but the transcript has the pending call");
const lacksQuestion = known("the notification does not hold the question, but the transcript has the pending call");
const cutQuestion = known("a closing question is cut from what was said last");
const untold = known("the transcript tells of the error, but its end is taken for an ordinary one");
const runsOn = known("done is told while the command still runs, and again after it");
const endsAbnormally = known(
  "its every session ends as `other`, which is told as a failure where no turn ended just before",
);
const earlyTranscript: KnownFault = { reason: "the transcript is read before it has the answer", sometimes: true };

/** What is wrong today, by agent and scenario. */
const knownFaults: Readonly<Record<string, Readonly<Record<string, KnownFault>>>> = {
  claude: {
    "permission-yes": lacksTool,
    "permission-no": lacksTool,
    question: lacksQuestion,
    "question-at-end": cutQuestion,
  },
  codex: { "headless-refused": untold, "question-at-end": cutQuestion },
  gemini: {
    "headless-refused": untold,
    refused: known("the error is told as raw JSON"),
    interrupted: known("the end of an interrupted turn is taken for a failed one"),
    question: lacksQuestion,
    "question-at-end": cutQuestion,
  },
  qwen: {
    "background-shell": runsOn,
    "permission-no": known("it says that it waits after each end, also after a refusal"),
    interrupted: known("it says that it waits after each end, also after Esc"),
    "question-at-end": cutQuestion,
  },
  droid: {
    "permission-yes": lacksTool,
    "permission-no": known("a refused tool ends the turn, which is told as done; and the tool is not named"),
    question: lacksQuestion,
    "question-at-end": cutQuestion,
    interrupted: endsAbnormally,
    "background-shell": endsAbnormally,
    "exit-late": endsAbnormally,
  },
  kimi: { "permission-yes": earlyTranscript, "question-at-end": cutQuestion },
  copilot: {
    "background-shell": runsOn,
    plain: earlyTranscript,
    "permission-yes": earlyTranscript,
    question: lacksQuestion,
    "question-at-end": cutQuestion,
    "sub-agent": known("the end of a sub-agent's own session is told as done"),
  },
};

/** Lines that an agent's terminal should not show, but does, and why; told when a whole run no longer shows them. */
export const knownLines: Readonly<Record<string, { readonly pattern: RegExp; readonly reason: string }>> = {
  gemini: { pattern: /\.beckon\/hook/, reason: "it shows the command of a hook that has no name" },
};

/** What should come of a scenario. */
export interface Expectation {
  readonly calls: readonly ExpectedCall[];
  readonly known?: KnownFault | undefined;
  readonly knownLine?: RegExp | undefined;
}

/** What should ring for a scenario of an agent, and what is known to be wrong with it. */
export function expectationOf(agent: string, scenario: string): Expectation {
  const calls = differences[agent]?.[scenario] ?? everywhere[scenario];
  if (!calls) throw new Error(`expected.ts does not say what should ring in ${scenario}.`);
  return { calls, known: knownFaults[agent]?.[scenario], knownLine: knownLines[agent]?.pattern };
}
