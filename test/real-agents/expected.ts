import { askedQuestion, markerCommand } from "./model/script.ts";
import { refusal } from "./model/server.ts";
import { startedTurns } from "./starts-scenario.ts";

/** An expected call to the user: its kind, and text that its title or body must contain. */
export interface ExpectedCall {
  readonly kind: "needs-you" | "failed" | "finished";
  readonly holds: string | RegExp;
}

const needsYou = (holds: string | RegExp): ExpectedCall => ({ kind: "needs-you", holds });
const failed = (holds: string): ExpectedCall => ({ kind: "failed", holds });
const finished = (holds: string): ExpectedCall => ({ kind: "finished", holds });

const done = finished("All done: the file was reviewed.");
const closing = finished("I can do it two ways: A or B. Which one do you want?");
const subAgent = finished("The sub-agent finished.");
const building = finished("The build runs in the background.");
const asked = needsYou(markerCommand);
const spawning = needsYou("spawn_subagent: Do what was asked");
const ran = finished("The command ran.");
const question = [needsYou(askedQuestion), finished("Thanks for the answer.")];
const plan = [needsYou("Plan: Rename the button"), finished("The button is renamed.")];
const bothRan = finished("Both commands ran.");
/** Expected calls for two requests at once: a notification for each, in either order. */
const eitherAsked = [1, 2].map(() => needsYou(/rm -rf made-[ab]\.txt/));
/** The same as one notification for both, then the end of the turn. */
const bothAsked = [needsYou(/rm -rf made-a\.txt.*rm -rf made-b\.txt/), bothRan];

/** Expected rings of every agent. */
const everywhere: Readonly<Record<string, readonly ExpectedCall[]>> = {
  headless: [done],
  "headless-refused": [failed(refusal(400))],
  "headless-broken": [failed(refusal(500))],
  "headless-permission": [finished("")],
  "headless-interrupted": [],
  plain: [done],
  plugin: [done],
  "plugin-twice": [done],
  "question-at-end": [closing],
  starts: Array.from({ length: startedTurns }, () => done),
  "two-copies": [done],
  "beckon-is-gone": [],
  "its-file-does-not-load": [],
  "its-file-fails": [],
  "permission-yes": [asked, ran],
  "permission-no": [asked],
  "permission-waiting": [asked],
  "permission-two": [needsYou("rm -rf made-a.txt"), needsYou("rm -rf made-b.txt"), bothRan],
  answers: [...Array.from({ length: 10 }, () => [asked, ran]).flat(), asked, asked, ran], // once beckon is gone
  "answers-forms": [
    done,
    ...[plan, plan, question, question, question, question, question, question, question].flat(),
    needsYou(askedQuestion), // its answer comes while beckon is gone
    ...question,
  ],
  "answers-background": Array.from({ length: 3 }, () => [asked, finished("The sub-agent is on its way.")]).flat(),
  "answers-away": [finished(""), asked, ran, asked, ran, ...eitherAsked, bothRan],
  "answers-chat": Array.from({ length: 4 }, () => [asked, ran]).flat(),
  "answers-released": [...Array.from({ length: 5 }, () => [asked, ran]).flat(), asked],
  tools: [needsYou(/notify/), finished("Claude Code: Sample title"), finished("The user was notified.")],
  desktop: [asked, ran, asked, ran, asked, ran],
  question,
  "question-no": [needsYou(askedQuestion)],
  "plan-no": [needsYou("Rename the button")],
  refused: [failed(refusal(400))],
  unauthorized: [failed(refusal(401))],
  broken: [failed(refusal(500))],
  flaky: [finished("Recovered and done.")],
  empty: [finished("")],
  interrupted: [],
  "sub-agent": [subAgent],
  "sub-agent-permission": [asked, subAgent],
  "sub-agent-refused": [finished("The sub-agent failed.")],
  "sub-agent-background": [finished("The sub-agent is on its way.")],
  "background-shell": [needsYou("sleep 15"), building],
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

/** Differences of an agent that are not faults, each with its reason. */
const differences: Readonly<Record<string, Readonly<Record<string, readonly ExpectedCall[]>>>> = {
  // It runs `sleep` without asking.
  claude: { "background-shell": [building], "permission-two": bothAsked },
  // It runs no hook after an error in the terminal, and has its own text for a 500. Two requests are simultaneous.
  codex: { refused: [], "headless-broken": [failed("high demand")], "permission-two": [...eitherAsked, bothRan] },
  droid: { "permission-two": bothAsked },
  // It reports an empty answer to the user as an error.
  copilot: { empty: [failed("No response was returned")] },
  // Neither payload nor transcript has a pending question, nor the error of a run without a terminal: the transcript
  // ends with the prompt. It reports an empty answer to the user as an error.
  gemini: {
    empty: [failed("empty response")],
    question: [needsYou("Ask User"), finished("Thanks for the answer.")],
    "question-no": [needsYou("Ask User")],
    "headless-refused": [failed("The model gave no answer")],
    "headless-broken": [failed("The model gave no answer")],
  },
  // It runs no hook after an error without a terminal or after an empty answer, and asks before it starts a sub-agent.
  qwen: {
    empty: [],
    "headless-refused": [],
    "headless-broken": [],
    "sub-agent": [needsYou("agent"), subAgent],
    "sub-agent-permission": [needsYou("agent"), asked, subAgent],
    "sub-agent-refused": [needsYou("agent"), finished("The sub-agent failed.")],
    "sub-agent-background": [needsYou("agent"), finished("The sub-agent is on its way.")],
  },
  // It runs `sleep` without asking, and asks before it starts a sub-agent. Without a terminal it gives up at the first
  // permission: this is the only sign, and the call has ended when its transcript is read. An empty answer runs no
  // hook.
  grok: {
    empty: [],
    "headless-permission": [needsYou("Tool permission requested")],
    "background-shell": [building],
    "sub-agent": [spawning, subAgent],
    "sub-agent-permission": [spawning, asked, subAgent],
    "sub-agent-refused": [spawning, finished("The sub-agent failed.")],
    "sub-agent-background": [spawning, finished("The sub-agent is on its way.")],
  },
  // Without a terminal it refuses the request itself, and the turn ends without an answer.
  opencode: { "headless-permission": [failed("nobody can answer")] },
  kilo: { "headless-permission": [failed("nobody can answer")] },
  // It goes on after a refusal, and its sub-agents can ask nobody.
  pi: {
    "permission-no": [asked, ran],
    "permission-waiting": [asked, ran],
    "question-no": [needsYou(askedQuestion), finished("Thanks for the answer.")],
    "sub-agent-permission": [subAgent],
    "background-shell": [building],
  },
  // It has no hook for permissions, and goes on after a refusal. It reports an empty answer to the user as an error.
  cline: {
    empty: [failed("Model returned empty response")],
    "permission-yes": [ran],
    "permission-no": [ran],
    "permission-waiting": [ran],
    "permission-two": [bothRan],
    "question-no": [needsYou(askedQuestion), finished("Thanks for the answer.")],
    "sub-agent-permission": [subAgent],
    "background-shell": [building],
  },
  // It has no hook for questions.
  kimi: { question: [finished("Thanks for the answer.")], "question-no": [] },
};

const retries = "it tries again for minutes";
const planOnly = "its question tool is for plan mode only";

/** Scenarios that an agent cannot play, with reasons. */
export const unplayable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  codex: { question: planOnly, "question-no": planOnly },
  qwen: { "headless-broken": retries },
  droid: { "headless-broken": retries },
  kimi: { "headless-broken": retries, empty: retries },
  grok: { "headless-broken": retries },
  pi: { "its-file-does-not-load": "it does not start with such an extension, and says so" },
};

/** Known fault. The run passes while the fault exists, and fails once it is gone, so that the entry is removed. */
export interface KnownFault {
  readonly reason: string;
  /** Set if the fault does not occur in every run: both outcomes pass. */
  readonly sometimes?: true;
}

/** Today's faults, by agent and scenario. */
const knownFaults: Readonly<Record<string, Readonly<Record<string, KnownFault>>>> = {};

/** The expected result of a scenario. */
export interface Expectation {
  readonly calls: readonly ExpectedCall[];
  readonly known?: KnownFault | undefined;
}

/** Finds the expected rings for a scenario of an agent, and its known faults. */
export function findExpectation(agent: string, scenario: string): Expectation {
  const calls = differences[agent]?.[scenario] ?? everywhere[scenario];
  if (!calls) throw new Error(`expected.ts does not say what should ring in ${scenario}.`);
  return { calls, known: knownFaults[agent]?.[scenario] };
}
