import type { RegisterCommand } from "../context.ts";

interface CommandEntry {
  /** Text in `beckon --help`. */
  readonly description: string;
  /** Loads the command's code, which declares its arguments and options. */
  load(): Promise<RegisterCommand>;
}

/**
 * Commands by name, below their headings in `beckon --help` and in its order. A command's code is loaded once the
 * command line names it.
 */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  "Set up:": {
    install: {
      description: "install hooks for the agents on this machine and send a sample event",
      load: async () => (await import("./install/install.ts")).registerInstall,
    },
    config: {
      description: "show, check or change the configuration; add a notifier",
      load: async () => (await import("./config/config.ts")).registerConfig,
    },
    demo: {
      description:
        "send a sample of each kind of notification that can come, and withdraw it after ten seconds if possible",
      load: async () => (await import("./demo.ts")).registerDemo,
    },
    test: {
      description: "send a test message through each notifier",
      load: async () => (await import("./test.ts")).registerTest,
    },
    upgrade: {
      description: "replace the installed version with this one and update the hooks",
      load: async () => (await import("./upgrade.ts")).registerUpgrade,
    },
    uninstall: {
      description: "remove the hooks and restore the settings files",
      load: async () => (await import("./uninstall.ts")).registerUninstall,
    },
    completion: {
      description: "print a completion script for bash, zsh or fish",
      load: async () => (await import("./completion.ts")).registerCompletion,
    },
    mcp: {
      description: "serve tools with which an agent can notify you (Model Context Protocol)",
      load: async () => (await import("./mcp/mcp.ts")).registerMcp,
    },
  },
  "Every day:": {
    sessions: {
      description: "list sessions of the last 24 hours: first those waiting for you, then the others",
      load: async () => (await import("./sessions.ts")).registerSessions,
    },
    seen: {
      description: "mark waiting sessions as seen and clear their notifications",
      load: async () => (await import("./seen.ts")).registerSeen,
    },
    snooze: {
      description: "pause notifications for a while, or resume them",
      load: async () => (await import("./snooze.ts")).registerSnooze,
    },
    focus: {
      description: "bring a session's terminal to the front",
      load: async () => (await import("./focus.ts")).registerFocus,
    },
    answer: {
      description: "show agents' permission requests, and allow or deny one",
      load: async () => (await import("./answer.ts")).registerAnswer,
    },
    answers: {
      description: "allow or forbid answering permission requests outside the agents, and show if it is allowed",
      load: async () => (await import("./answers.ts")).registerAnswers,
    },
    send: {
      description: "send a message of your own through your notifiers",
      load: async () => (await import("./send.ts")).registerSend,
    },
    run: {
      description: "run a command and get a message when it has finished or failed",
      load: async () => (await import("./run.ts")).registerRun,
    },
    today: {
      description: "show today's or another day's waiting times, finished and failed turns, and deliveries",
      load: async () => (await import("./today.ts")).registerToday,
    },
    board: {
      description: "serve a live page with waiting sessions and daily statistics",
      load: async () => (await import("./board.ts")).registerBoard,
    },
  },
  "Look into it:": {
    status: {
      description: "show agents, hooks, configuration, notifiers and events in progress",
      load: async () => (await import("./status.ts")).registerStatus,
    },
    doctor: {
      description: "find problems and show how to fix them",
      load: async () => (await import("./doctor/doctor.ts")).registerDoctor,
    },
    log: {
      description: "show the events and their outcomes, newest last",
      load: async () => (await import("./log.ts")).registerLog,
    },
    why: {
      description: "explain why an event did or did not notify you",
      load: async () => (await import("./why.ts")).registerWhy,
    },
    try: {
      description: "predict the notifications for an event, without sending any",
      load: async () => (await import("./try.ts")).registerTry,
    },
    retry: {
      description: "redeliver failed events",
      load: async () => (await import("./retry.ts")).registerRetry,
    },
    flush: {
      description: "deliver the events that are due now, and wait for the result",
      load: async () => (await import("./flush.ts")).registerFlush,
    },
  },
  "Other machines:": {
    relay: {
      description: "get notifications from agents on other machines, over SSH or a server",
      load: async () => (await import("./relay/relay.ts")).registerRelay,
    },
  },
  "Service:": {
    service: {
      description: "query the service that keeps your sessions, and report usage",
      load: async () => (await import("./service/service.ts")).registerService,
    },
  },
};

/** Names of all commands, in the order of `beckon --help`. */
export const commandNames = Object.values(commandGroups).flatMap(Object.keys);
