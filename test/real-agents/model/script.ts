import type { ToolKind } from "./tools.ts";

/** A tool to call, and its arguments if the schema allows them. */
export interface WantedCall {
  readonly kind: ToolKind;
  readonly command?: string;
  readonly prompt?: string;
  /** True to run the tool in the background; by default the agent decides. */
  readonly inBackground?: boolean;
}

/** One answer of the scripted model. A step whose tools the agent lacks is answered with text. */
export type Step =
  | { readonly text: string; readonly afterMs?: number; readonly failsFirst?: number }
  | { readonly calls: readonly WantedCall[]; readonly afterMs?: number }
  | { readonly status: number };

/** The command that needs permission in every agent. */
export const markerCommand = "rm -rf made-by-agent.txt";
/** The model's question through the agent's question tool. */
export const askedQuestion = "Which colour should the button have?";

/** The model's plan when it would leave plan mode. */
export const shownPlan = "# Rename the button\n\n1. Find it.\n2. Rename it.";

const done = { text: "All done: the file was reviewed." };
const shell = (command: string, inBackground?: boolean): WantedCall => ({
  kind: "shell",
  command,
  ...(inBackground === undefined ? {} : { inBackground }),
});
const subAgent = (prompt: string, ...last: readonly Step[]): Step[] => [
  { calls: [{ kind: "task", prompt, inBackground: false }] },
  { calls: [{ kind: "wait" }] },
  ...last,
];

const inBackground = (prompt: string): Step[] => [
  { calls: [{ kind: "task", prompt, inBackground: true }] },
  { text: "The sub-agent is on its way." },
];
const two = [shell("rm -rf made-a.txt"), shell("rm -rf made-b.txt")];

/**
 * The model's answers, step by step, to a prompt that contains `PLAY-` and one of these words. Each step follows when
 * the agent has taken the step before; the last step is repeated.
 */
export const scripts = {
  PLAIN: [done],
  LATER: [{ ...done, afterMs: 5_000 }],
  CLOSING: [{ text: "I can do it two ways: A or B. Which one do you want?" }],
  EMPTY: [{ text: "" }],
  SLOW: [{ text: "Slow answer.", afterMs: 25_000 }],
  FLAKY: [{ text: "Recovered and done.", failsFirst: 2 }],
  REFUSED: [{ status: 400 }],
  UNAUTHORIZED: [{ status: 401 }],
  BROKEN: [{ status: 500 }],
  SHELL: [{ calls: [shell(markerCommand)] }, { text: "The command ran." }],
  LATESHELL: [{ calls: [shell(markerCommand)], afterMs: 18_000 }, { text: "The command ran." }],
  AWAYSHELL: [{ calls: [shell(markerCommand)], afterMs: 30_000 }, { text: "The command ran." }],
  TWO: [{ calls: two }, { text: "Both commands ran." }],
  LATETWO: [{ calls: two, afterMs: 18_000 }, { text: "Both commands ran." }],
  BACKGROUND: [{ calls: [shell("sleep 15", true)] }, { text: "The build runs in the background." }],
  NOTIFY: [{ calls: [{ kind: "notify" }] }, { text: "The user was notified." }],
  PLAN: [{ calls: [{ kind: "plan" }] }, { text: "The button is renamed." }],
  ASK: [{ calls: [{ kind: "ask" }] }, { text: "Thanks for the answer." }],
  TASK: subAgent("PLAY-PLAIN in the sub-agent", { text: "The sub-agent finished." }),
  TASKSHELL: subAgent("PLAY-SHELL in the sub-agent", { text: "The sub-agent finished." }),
  TASKREFUSED: subAgent("PLAY-REFUSED in the sub-agent", { text: "The sub-agent failed." }),
  TASKBACKGROUND: inBackground("PLAY-LATER in the sub-agent"),
  TASKASKS: inBackground("PLAY-AWAYSHELL in the sub-agent"),
} as const satisfies Readonly<Record<string, readonly Step[]>>;

/** The word in a prompt after `PLAY-`. */
export type Script = keyof typeof scripts;

/** True if a word names a script. */
export function isScript(word: string): word is Script {
  return word in scripts;
}
