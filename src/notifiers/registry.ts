import type { Notifier } from "../core/notifier.ts";

/** Every notifier by its name. Its code is loaded when a configuration first names it, so that the worker starts fast. */
export const notifierLoaders = {
  desktop: async () => (await import("./desktop.ts")).desktop,
  sound: async () => (await import("./sound.ts")).sound,
  command: async () => (await import("./command.ts")).command,
  module: async () => (await import("./module.ts")).module,
} satisfies Record<string, () => Promise<Notifier>>;
