import type { Notifier } from "../core/notifier.ts";

/** Loaders of all notifiers, by name. Only configured notifiers are loaded, so that the worker starts fast. */
export const notifierLoaders: Readonly<Record<string, () => Promise<Notifier>>> = {
  alertmanager: async () => (await import("./alertmanager.ts")).alertmanager,
  bark: async () => (await import("./bark.ts")).bark,
  command: async () => (await import("./command.ts")).command,
  desktop: async () => (await import("./desktop.ts")).desktop,
  dingtalk: async () => (await import("./dingtalk.ts")).dingtalk,
  discord: async () => (await import("./discord.ts")).discord,
  email: async () => (await import("./email.ts")).email,
  feishu: async () => (await import("./feishu.ts")).feishu,
  file: async () => (await import("./file.ts")).file,
  "google-chat": async () => (await import("./google-chat.ts")).googleChat,
  gotify: async () => (await import("./gotify.ts")).gotify,
  matrix: async () => (await import("./matrix.ts")).matrix,
  mattermost: async () => (await import("./mattermost.ts")).mattermost,
  module: async () => (await import("./module.ts")).module,
  ntfy: async () => (await import("./ntfy.ts")).ntfy,
  otlp: async () => (await import("./otlp.ts")).otlp,
  pushbullet: async () => (await import("./pushbullet.ts")).pushbullet,
  pushover: async () => (await import("./pushover.ts")).pushover,
  relay: async () => (await import("./relay.ts")).relay,
  "rocket-chat": async () => (await import("./rocket-chat.ts")).rocketChat,
  slack: async () => (await import("./slack.ts")).slack,
  sound: async () => (await import("./sound.ts")).sound,
  speech: async () => (await import("./speech.ts")).speech,
  teams: async () => (await import("./teams.ts")).teams,
  telegram: async () => (await import("./telegram.ts")).telegram,
  terminal: async () => (await import("./terminal.ts")).terminal,
  webhook: async () => (await import("./webhook.ts")).webhook,
  wecom: async () => (await import("./wecom.ts")).wecom,
  zulip: async () => (await import("./zulip.ts")).zulip,
};

/** Most popular notifier types, the commonest first. Lists that users choose from begin with these types. */
export const popularNotifiers: readonly string[] =
  "desktop sound ntfy telegram slack discord pushover email teams webhook command".split(" ");

/** Notifier types that are apps on a phone, in the order in which they are offered. */
export const phoneApps: readonly string[] = ["ntfy", "telegram", "pushover", "bark", "gotify", "pushbullet"];

/** Word that stands for any phone app where a notifier type is expected. */
export const anyPhoneApp = "phone";

/** Notifier type that needs neither a desktop nor an account. It is offered first on a machine without a desktop. */
export const withoutDesktop = "terminal";
