import { setTimeout as sleep } from "node:timers/promises";
import { playAnswers, playForms, playInBackground } from "./answers-scenario.ts";
import { playAway, playInChat, playReleased } from "./away-scenario.ts";
import { type Damage, damages } from "./damage.ts";
import { playOnDesktop } from "./desktop-scenario.ts";
import type { Script } from "./model/script.ts";
import { readCalls, type Session } from "./session.ts";
import { compareStarts } from "./starts-scenario.ts";

/** A script for a user and an agent; the expected rings are in `expected.ts`. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  /** True for a scenario that runs without `--all` and without being named: one turn, one permission, one failure. */
  readonly byDefault: boolean;
  /** True for a scenario that is also played without hooks, to compare the screens. */
  readonly comparesScreens: boolean;
  /** Scenario that is the same without hooks, so that one run of both is enough. */
  readonly sameWithoutHooks?: string;
  /** The only agents that play the scenario, if not all do. */
  readonly onlyWith?: readonly string[];
  /** Way of installing the hooks, if it is not `beckon install`; for agents with plugins. */
  readonly installs?: "plugin" | "plugin and settings";
  /** Set if the hooks are installed for the project too, so that the agent finds them twice. */
  readonly isInstalledTwice?: true;
  /** Fault of the installation, which the agent must not notice. */
  readonly damage?: Damage;
  /**
   * Set for a scenario on a desktop. It is played alone and after all others, because finding the user must take at
   * most 100 ms.
   */
  readonly hasDesktop?: true;
  /** Set for a scenario that measures times. It is played alone and after all others. */
  readonly isTimed?: true;
  /**
   * Set for a scenario with answers set up: while the user is here, with a desktop whose buttons answer, or only while
   * the user has been away for ten seconds, without a notifier or with a chat.
   */
  readonly answers?: "here" | "away" | "chat";
  /** Set for a scenario with beckon's tools registered, as by `install --mcp`. */
  readonly hasTools?: true;
  /** Set for a scenario in plan mode, for agents that have one. */
  readonly isPlanned?: true;
  play(session: Session): Promise<void>;
}

const byDefault = ["headless-refused", "plain", "permission-yes", "refused"];

type Steps = (session: Session) => Promise<void>;

/** Agents that load a file of beckon's, or run it. */
const withOwnFile: readonly string[] = ["opencode", "kilo", "pi", "cline"];

/** Makes a scenario whose steps open the terminal, if they need one, and whose screens are not compared. */
const whole = (name: string, what: string, play: Steps, more: Partial<Scenario> = {}): Scenario => {
  return { name, what, byDefault: byDefault.includes(name), comparesScreens: false, play, ...more };
};

const headless = (name: string, what: string, script: Script, isInterrupted = false): Scenario =>
  whole(name, what, (session) => session.headless(script, isInterrupted));

/**
 * Makes a scenario whose screens need no comparison, because another scenario has them too, or because it mostly waits.
 */
const unseen = (name: string, what: string, steps: Steps, leave: Steps = (session) => session.leave()): Scenario =>
  whole(name, what, async (session) => {
    await session.open();
    await steps(session);
    await leave(session);
  });

const inTerminal = (...parts: Parameters<typeof unseen>): Scenario => ({ ...unseen(...parts), comparesScreens: true });

/** Number of requests that no agent reaches in a scenario. */
const maxAsked = 5;
const done = /All done: the file was reviewed/;
const colour = /Which colour should the button have/;

async function turn(session: Session, script: Script, answer: RegExp, calls = 1): Promise<void> {
  await session.say(script);
  await session.shows(answer);
  await session.stops();
  await session.calls(calls);
  await session.look("answered");
}

const silent: Steps = (session) => turn(session, "PLAIN", done, 0);

const plain: Steps = (session) => turn(session, "PLAIN", done);

/** Sends a prompt whose command needs permission, and waits until the agent asks. */
async function ask(session: Session, script: Script, pattern = session.agent.asksPermission): Promise<void> {
  await session.say(script);
  await session.shows(pattern);
  await session.calls(1, 30); // Claude Code waits 6 s before it calls
  await session.look("asked");
}

async function refuse(session: Session, keys = session.agent.refuse): Promise<void> {
  await session.press(...keys);
  await session.stops();
  await session.pause(4);
  await session.look("refused");
}

async function playPlan(session: Session): Promise<void> {
  await session.open(session.agent.planning);
  await ask(session, "PLAN", /Rename the button|Exit plan mode/);
  await refuse(session);
  await session.leave();
}

function allowing({ agent }: Session): readonly string[] {
  return agent.allow ?? ["Enter"];
}

async function allow(session: Session, answer: RegExp, keys = allowing(session), calls = 2): Promise<void> {
  await session.press(...keys);
  await session.shows(answer);
  await session.stops();
  await session.calls(calls);
  await session.look("answered");
}

/** Sends a prompt, allows every request, and waits until the agent is quiet for six seconds. */
async function allowIfAsked(session: Session, script: Script, answer: RegExp): Promise<void> {
  const { asksPermission } = session.agent;
  const isAsked = () => asksPermission.test(session.terminal.screen());
  await session.say(script);
  let asked = 0;
  do {
    await session.shows(new RegExp(`${asksPermission.source}|${answer.source}`));
    while (isAsked() && asked < maxAsked) {
      asked += 1;
      await session.calls(asked, 30);
      await session.press(...allowing(session));
      await session.pause(2);
    }
    await session.pause(6);
  } while (isAsked() && asked < maxAsked);
  await session.shows(answer);
  await session.stops();
  await session.calls(asked + 1);
  await session.look("answered");
}

/** Plays a sub-agent's work and allows its requests; a missing sub-agent is a trouble. */
async function delegate(session: Session, script: Script, itsScript: Script, answer: RegExp): Promise<void> {
  await allowIfAsked(session, script, answer);
  if (!session.hasAsked(itsScript)) session.troubles.push("no sub-agent asked the model");
}

const here = { onlyWith: ["claude"], answers: "here" } as const;
const away = { onlyWith: ["codex", "qwen"], answers: "away" } as const;

/** Every scenario, in running order. */
export const scenarios: readonly Scenario[] = [
  headless("headless", "a prompt, without a terminal", "PLAIN"),
  headless("headless-refused", "the model refuses the request (400), without a terminal", "REFUSED"),
  headless("headless-broken", "the model answers 500, without a terminal", "BROKEN"),
  headless("headless-permission", "a command needs permission, but nobody can be asked", "SHELL"),
  headless("headless-interrupted", "Ctrl-C in the middle of a turn, without a terminal", "SLOW", true),
  inTerminal("plain", "a prompt, then the exit command", plain),
  { ...unseen("plugin", "its plugin, on a machine without beckon: a prompt, then exit", plain), installs: "plugin" },
  { ...unseen("plugin-twice", "the same with hooks in its settings as well", plain), installs: "plugin and settings" },
  whole("starts", "ten starts with hooks and ten without, in turns: the time until it asks the model", compareStarts, {
    onlyWith: withOwnFile,
    isTimed: true,
  }),
  {
    ...unseen("two-copies", "the hooks of the user and of the project: a prompt, then the exit command", plain),
    onlyWith: ["opencode", "kilo"],
    isInstalledTwice: true,
  },
  ...damages.map(
    (damage): Scenario => ({
      ...inTerminal(damage.replaceAll(" ", "-"), `${damage}: a prompt, then the exit command`, silent),
      onlyWith: withOwnFile,
      sameWithoutHooks: "plain",
      damage,
    }),
  ),
  unseen("question-at-end", "the answer ends with a question", (session) =>
    turn(session, "CLOSING", /Which one do you want/),
  ),
  inTerminal("permission-yes", "a command is asked for and allowed", async (session) => {
    await ask(session, "SHELL");
    await allow(session, /The command ran/);
  }),
  unseen("permission-no", "a command is asked for and refused", async (session) => {
    await ask(session, "SHELL");
    await refuse(session);
  }),
  unseen("permission-waiting", "a command is asked for and left waiting for 20 s, then refused", async (session) => {
    await ask(session, "SHELL");
    await session.pause(20);
    await session.press(...session.agent.refuse);
    await session.pause(4);
  }),
  {
    ...unseen("desktop", "permissions on a desktop: unwatched, watched, and with another pane watched", playOnDesktop),
    onlyWith: ["claude"],
    hasDesktop: true,
  },
  whole("answers", "permissions answered in another terminal, by buttons, on the board, or never", playAnswers, here),
  whole("answers-forms", "plans and questions answered in another terminal, on the board, or never", playForms, here),
  whole("answers-background", "permissions of a sub-agent, released by a key or answered", playInBackground, here),
  whole("answers-chat", "permissions answered in Telegram while the user is away, and an old button", playInChat, {
    onlyWith: ["claude", "codex", "qwen"],
    answers: "chat",
  }),
  whole("answers-away", "permissions answered elsewhere while the user is away", playAway, away),
  whole("answers-released", "permissions left to the agent's dialog, by a key and after faults", playReleased, away),
  {
    ...unseen("tools", "the model calls beckon's own tool, which is allowed", async (session) => {
      await ask(session, "NOTIFY");
      await allow(session, /The user was notified/, undefined, 3);
    }),
    onlyWith: ["claude"],
    hasTools: true,
  },
  unseen("permission-two", "two commands in one step, both allowed", async (session) => {
    await ask(session, "TWO");
    await session.press(...allowing(session));
    await session.pause(3);
    await allow(session, /Both commands ran/);
  }),
  unseen("question", "the question tool, answered", async (session) => {
    await ask(session, "ASK", colour);
    await allow(session, /Thanks for the answer/, session.agent.answer ?? ["Enter"]);
  }),
  unseen("question-no", "the question tool, refused", async (session) => {
    await ask(session, "ASK", colour);
    await refuse(session, session.agent.dismiss);
  }),
  whole("plan-no", "a plan is shown and refused", playPlan, { isPlanned: true }),
  inTerminal("refused", "the model refuses the request (400)", async (session) => {
    await session.say("REFUSED");
    await session.shows(/refused this request/);
    await session.stops();
    await session.calls(1);
    await session.look("refused");
  }),
  {
    ...unseen("unauthorized", "the model does not know the key (401)", async (session) => {
      await session.say("UNAUTHORIZED");
      await session.stops();
      await session.calls(1);
      await session.pause(4);
    }),
    onlyWith: withOwnFile,
  },
  {
    ...unseen("broken", "the model answers 500; an agent that still tries after 150 s is interrupted", playBroken),
    onlyWith: withOwnFile,
  },
  unseen("flaky", "two 503s, then the answer", (session) => turn(session, "FLAKY", /Recovered and done/)),
  unseen("empty", "an empty answer", async (session) => {
    await session.say("EMPTY");
    await session.pause(8);
    await session.look("answered");
  }),
  inTerminal("interrupted", "Esc in the middle of a turn", async (session) => {
    await session.say("SLOW");
    await session.pause(2);
    await session.interrupt();
    await session.look("interrupted");
  }),
  inTerminal("sub-agent", "a sub-agent works, then the agent answers", (session) =>
    delegate(session, "TASK", "PLAIN", /The sub-agent finished/),
  ),
  unseen("sub-agent-permission", "a sub-agent's command is asked for and allowed", (session) =>
    delegate(session, "TASKSHELL", "SHELL", /The sub-agent finished/),
  ),
  unseen("sub-agent-refused", "a sub-agent's request is refused (400)", (session) =>
    delegate(session, "TASKREFUSED", "REFUSED", /The sub-agent failed/),
  ),
  unseen("sub-agent-background", "a sub-agent goes on after the answer", (session) =>
    delegate(session, "TASKBACKGROUND", "LATER", /The sub-agent is on its way/),
  ),
  unseen("background-shell", "a command goes on for 15 s after the answer", async (session) => {
    await allowIfAsked(session, "BACKGROUND", /The build runs in the background/);
    await session.pause(25);
    await session.look("ended");
  }),
  unseen("exit-late", "a prompt, and the exit command 32 s after the answer", async (session) => {
    await plain(session);
    await session.pause(32);
  }),
  unseen("idle", "left alone for 75 s after the answer", async (session) => {
    await plain(session);
    await session.pause(75);
  }),
  inTerminal("clear", "the command that begins a new conversation", async (session) => {
    await plain(session);
    await session.terminal.enter(session.agent.clear);
    await session.pause(4);
  }),
  inTerminal("compact", "the command that compacts the conversation", async (session) => {
    await plain(session);
    await session.terminal.enter(session.agent.compact);
    await session.pause(3);
    if (/Enter to confirm/.test(session.terminal.screen())) session.terminal.press("Enter");
    await session.pause(6);
  }),
  unseen("resume", "left, resumed, and a second prompt", async (session) => {
    await plain(session);
    await session.leave();
    session.terminal.close();
    await session.open(session.agent.resume);
    await turn(session, "CLOSING", /Which one do you want/, 2);
  }),
  ...(
    [
      ["ctrl-c", "Ctrl-C twice", ({ terminal }) => pressTwice(() => terminal.press("C-c"))],
      ["ctrl-d", "Ctrl-D twice", ({ terminal }) => pressTwice(() => !terminal.hasEnded() && terminal.press("C-d"))],
      ["killed", "SIGKILL while it waits for a prompt", ({ terminal }) => process.kill(terminal.pid, "SIGKILL")],
      ["hang-up", "the terminal is closed", ({ terminal }) => process.kill(terminal.pid, "SIGHUP")],
    ] satisfies (readonly [string, string, (session: Session) => unknown])[]
  ).map(([name, what, leave]) =>
    unseen(name, `a prompt, then: ${what}`, plain, async (session) => {
      await leave(session);
      await session.pause(4);
    }),
  ),
];

async function playBroken(session: Session): Promise<void> {
  await session.say("BROKEN");
  await session.calls(1, 150);
  if (readCalls().length === 0) await session.interrupt();
}

async function pressTwice(press: () => void): Promise<void> {
  press();
  await sleep(400);
  press();
}
