import type { Notifier } from "../core/notifier.ts";

type Loader = () => Promise<Notifier>;

/** Every notifier by its name. Its code is loaded when a configuration first names it, so that the worker starts fast. */
export const notifierLoaders: Readonly<Record<string, Loader>> = {
  slack: async () => (await import("./slack.ts")).slack,
  webhook: async () => (await import("./webhook.ts")).webhook,
};
