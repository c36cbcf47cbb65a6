import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The user's home in the sandbox, and the project that the agents work in. */
export const home = "/home/dev";
export const project = join(home, "shop");

/** Properties of an agent: its start without a login, its controls, its screens. */
export interface RealAgent {
  /** As in `--agent`, and the program in its package's `bin`. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes settings for the scripted model and a start without questions. */
  prepare(): void;
  headless(prompt: string): readonly string[];
  /** Set if a run without a terminal runs no hooks for its prompt. */
  readonly isSilentAboutHeadlessPrompts?: true;
  interactive: readonly string[];
  resume: readonly string[];
  /** Text on the screen when it accepts a prompt. */
  readonly ready: RegExp;
  /** Longest time without the screen that should follow, at the start or later, on a busy machine. */
  readonly maxPauseSeconds: number;
  /** Seconds for which it must look ready, as some show their prompt and then a dialog. */
  readonly readyForSeconds: number;
  /** Dialogs at the start, and the keys that answer them. */
  readonly dialogs: readonly (readonly [RegExp, ...string[]])[];
  /** The folder below the home for its transcripts. */
  readonly sessions: string;
  /** Asks for trust in new hooks at its first start, some time after it looks ready. */
  readonly reviewsHooks: boolean;
  /** Text on the screen while it asks for permission. */
  readonly asksPermission: RegExp;
  /** The keys that answer a question with its first option; Enter by default. */
  readonly answer?: readonly string[];
  /** Starts it in plan mode, in which its exit tool takes the plan. */
  readonly planning?: readonly string[];
  /** The keys that allow a request once; Enter by default. */
  readonly allow?: readonly string[];
  /** The keys that refuse a permission. */
  readonly refuse: readonly string[];
  /** The keys that refuse a question; by default those for a permission. */
  readonly dismiss?: readonly string[];
  /** The keys that interrupt a turn. */
  readonly interrupt: readonly string[];
  /** The exit command, and the one that compacts the conversation. */
  readonly exit: string;
  readonly compact: string;
  /** Its own lines about anybody's hooks. */
  readonly printsAboutHooks: readonly RegExp[];
  /** Its own additions to the model's input once any hook has run. */
  readonly tellsOfHooks?: readonly RegExp[];
  /** Lines that differ between runs: tips, clocks, progress. Numbers are already replaced by `#`. */
  readonly varies: readonly RegExp[];
}

/** Values that most agents share. */
export const usual = {
  maxPauseSeconds: 60,
  reviewsHooks: false,
  refuse: ["Escape"],
  interrupt: ["Escape"],
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
