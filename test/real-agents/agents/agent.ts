import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The home of the person in the sandbox, and the project that the agents work in. */
export const home = "/home/dev";
export const project = join(home, "shop");

/** What is known of an agent: how it starts without a login, how it is driven, what it shows. */
export interface RealAgent {
  /** As in `--agent`, and the program in its package's `bin`. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes the settings with which it uses the scripted model and asks nothing at its start. */
  prepare(): void;
  headless(prompt: string): readonly string[];
  /** Set where a run without a terminal runs no hooks for its prompt. */
  readonly isSilentAboutHeadlessPrompts?: true;
  interactive: readonly string[];
  resume: readonly string[];
  /** On the screen when it takes a prompt. */
  readonly ready: RegExp;
  /** Seconds for which it must look ready: some show their prompt and then a dialog. */
  readonly readyForSeconds: number;
  /** Dialogs at the start, and the keys that answer them. */
  readonly dialogs: readonly (readonly [RegExp, ...string[]])[];
  /** The folder below the home in which it keeps its transcripts. */
  readonly sessions: string;
  /** Asks for trust in new hooks at its first start, some time after it looks ready. */
  readonly reviewsHooks: boolean;
  /** On the screen while it asks for permission. */
  readonly asksPermission: RegExp;
  /** The keys that answer a question with its first option; Enter where absent. */
  readonly answer?: readonly string[];
  /** Starts it in its mode for plans, where its tool for leaving that takes the plan. */
  readonly planning?: readonly string[];
  /** The keys that allow what is asked this time; Enter where absent. */
  readonly allow?: readonly string[];
  /** The keys that refuse a permission. */
  readonly refuse: readonly string[];
  /** The keys that refuse a question; those for a permission where absent. */
  readonly dismiss?: readonly string[];
  /** The keys that interrupt a turn. */
  readonly interrupt: readonly string[];
  /** The command that leaves it, and the one that compacts the conversation. */
  readonly exit: string;
  readonly compact: string;
  /** Lines about hooks that it prints by itself, whosever they are. */
  readonly printsAboutHooks: readonly RegExp[];
  /** Lines that it adds by itself to what the model is told, once any hook has run. */
  readonly tellsOfHooks?: readonly RegExp[];
  /** Lines that differ from run to run: tips, clocks, progress. Numbers are already replaced by `#`. */
  readonly varies: readonly RegExp[];
}

/** Values that most agents share. */
export const usual = {
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
