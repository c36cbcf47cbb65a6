import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The user's home in the sandbox, and the project that the agents work in. */
export const home = "/home/dev";
export const project = join(home, "shop");

/** Properties of an agent: its start without a login, its controls, its screens. */
export interface RealAgent {
  /** Name as in `--agent`. It is also the name of the program in the package's `bin`. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes settings with which the agent uses the scripted model and starts without questions. */
  prepare(): void;
  headless(prompt: string): readonly string[];
  /** Set if a run without a terminal runs no hooks for its prompt. */
  readonly isSilentAboutHeadlessPrompts?: true;
  interactive: readonly string[];
  resume: readonly string[];
  /** Pattern of the screen on which the agent accepts a prompt. */
  readonly ready: RegExp;
  /** Maximum time, on a busy machine, until the expected screen appears. */
  readonly maxPauseSeconds: number;
  /** Seconds for which the agent must look ready, because some agents show their prompt before a dialog. */
  readonly readyForSeconds: number;
  /** Dialogs at the start, and the keys that answer them. */
  readonly dialogs: readonly (readonly [RegExp, ...string[]])[];
  /** Folder of the agent's transcripts, below the home folder. */
  readonly sessions: string;
  /** True if the agent asks for trust in new hooks at its first start, some time after it looks ready. */
  readonly reviewsHooks: boolean;
  /** Pattern of the screen on which the agent asks for permission. */
  readonly asksPermission: RegExp;
  /** Keys that answer a question with its first option; default: Enter. */
  readonly answer?: readonly string[];
  /** Command that starts the agent in plan mode, in which its exit tool takes the plan. */
  readonly planning?: readonly string[];
  /** Keys that allow a request once; default: Enter. */
  readonly allow?: readonly string[];
  /** Keys that refuse a permission. */
  readonly refuse: readonly string[];
  /** Keys that refuse a question; default: the keys that refuse a permission. */
  readonly dismiss?: readonly string[];
  /** Keys that interrupt a turn. */
  readonly interrupt: readonly string[];
  /** Text on the screen while the agent works on a prompt. */
  readonly working?: RegExp;
  /** Command that ends the agent. */
  readonly exit: string;
  /** Command that compacts the conversation. */
  readonly compact: string;
  /** Command that begins a new conversation. */
  readonly clear: string;
  /** Patterns of the agent's own lines about any hooks. */
  readonly printsAboutHooks: readonly RegExp[];
  /** Patterns of the agent's own additions to the model's input once any hook has run. */
  readonly tellsOfHooks?: readonly RegExp[];
  /** Patterns of lines that differ between runs: tips, clocks, progress. Numbers are already replaced by `#`. */
  readonly varies: readonly RegExp[];
}

/** Values that most agents share. */
export const usual = {
  maxPauseSeconds: 60,
  reviewsHooks: false,
  refuse: ["Escape"],
  interrupt: ["Escape"],
  clear: "/clear",
  dialogs: [],
  printsAboutHooks: [],
  varies: [],
} satisfies Partial<RealAgent>;

/** Writes a file below the home: text, or a value as JSON. */
export function writeInHome(path: string, content: string | object): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
}
