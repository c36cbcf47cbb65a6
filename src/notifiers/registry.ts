import type { Notifier } from "../core/notifier.ts";

type Loader = () => Promise<Notifier>;

/** Every notifier by its name. Its code is loaded when a configuration first names it, so that the worker starts fast. */
export const notifierLoaders: Readonly<Record<string, Loader>> = {
  bark: async () => (await import("./bark.ts")).bark,
  command: async () => (await import("./command.ts")).command,
  desktop: async () => (await import("./desktop.ts")).desktop,
  discord: async () => (await import("./discord.ts")).discord,
  email: async () => (await import("./email.ts")).email,
  file: async () => (await import("./file.ts")).file,
  gotify: async () => (await import("./gotify.ts")).gotify,
  matrix: async () => (await import("./matrix.ts")).matrix,
  module: async () => (await import("./module.ts")).module,
  ntfy: async () => (await import("./ntfy.ts")).ntfy,
  pushbullet: async () => (await import("./pushbullet.ts")).pushbullet,
  pushover: async () => (await import("./pushover.ts")).pushover,
  slack: async () => (await import("./slack.ts")).slack,
  sound: async () => (await import("./sound.ts")).sound,
  speech: async () => (await import("./speech.ts")).speech,
  terminal: async () => (await import("./terminal.ts")).terminal,
  webhook: async () => (await import("./webhook.ts")).webhook,
  zulip: async () => (await import("./zulip.ts")).zulip,
};
