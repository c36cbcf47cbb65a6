import type { RegisterCommand } from "../context.ts";

interface CommandEntry {
  /** As `beckon --help` shows it. */
  readonly description: string;
  /** Loads its arguments and options, and with them its code. */
  load(): Promise<RegisterCommand>;
}

/**
 * Every command by its name, in the order of `beckon --help`. The code of one is loaded when its name is on the command
 * line.
 */
export const commandRegistry: Readonly<Record<string, CommandEntry>> = {
  install: {
    description: "install the hooks of the agents on this machine and send a sample event",
    load: async () => (await import("./install/install.ts")).registerInstall,
  },
  upgrade: {
    description: "replace the installed version with this one and update the hooks",
    load: async () => (await import("./upgrade.ts")).registerUpgrade,
  },
  uninstall: {
    description: "remove the hooks and restore the settings files",
    load: async () => (await import("./uninstall.ts")).registerUninstall,
  },
  config: {
    description: "show, check or change the configuration",
    load: async () => (await import("./config/config.ts")).registerConfig,
  },
  test: {
    description: "send a test message through each notifier and show the result",
    load: async () => (await import("./test.ts")).registerTest,
  },
  status: {
    description: "show agents, hooks, configuration, notifiers and events in progress",
    load: async () => (await import("./status.ts")).registerStatus,
  },
  doctor: {
    description: "look for problems and say how to fix them; exit code 1 if there are any",
    load: async () => (await import("./doctor/doctor.ts")).registerDoctor,
  },
  relay: {
    description: "let agents on other machines call you here, over SSH or a server",
    load: async () => (await import("./relay/relay.ts")).registerRelay,
  },
  sessions: {
    description: "show who waits for you, the longest first, and what the other sessions do",
    load: async () => (await import("./sessions.ts")).registerSessions,
  },
  today: {
    description: "show the day: who waited and for how long, what finished or failed, whether it reached you",
    load: async () => (await import("./today.ts")).registerToday,
  },
  board: {
    description: "show who waits and what each day came to in the browser, live; or write a day into a file",
    load: async () => (await import("./board/board.ts")).registerBoard,
  },
  seen: {
    description: "say that you have seen what waits for you: it is over, and its messages are taken back",
    load: async () => (await import("./seen.ts")).registerSeen,
  },
  focus: {
    description: "bring the terminal of the session that waits longest, or of another one, to the front",
    load: async () => (await import("./focus.ts")).registerFocus,
  },
  snooze: {
    description: "have messages to you wait for a while, or end that",
    load: async () => (await import("./snooze.ts")).registerSnooze,
  },
  log: {
    description: "show what happened to each event, newest last",
    load: async () => (await import("./log.ts")).registerLog,
  },
  why: {
    description: "tell the story of one event: its routes, and what came of each message",
    load: async () => (await import("./why.ts")).registerWhy,
  },
  try: {
    description: "show what would happen to an event, by route, time and where you are; nothing is sent",
    load: async () => (await import("./try.ts")).registerTry,
  },
  flush: {
    description: "deliver what is due now, or wait until the running worker has",
    load: async () => (await import("./flush.ts")).registerFlush,
  },
  retry: {
    description: "deliver events again that could not be delivered",
    load: async () => (await import("./retry.ts")).registerRetry,
  },
  completion: {
    description: "print a script that completes this command line in bash, zsh or fish",
    load: async () => (await import("./completion.ts")).registerCompletion,
  },
  service: {
    description: "call the service's API: analytics, sessions, computers, users",
    load: async () => (await import("./service/service.ts")).registerService,
  },
};
