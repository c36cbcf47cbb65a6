import type { Notifier } from "../core/notifier.ts";

/** Every notifier by its name. Its code is loaded when a configuration first names it, so that the worker starts fast. */
export const notifierLoaders = {} satisfies Record<string, () => Promise<Notifier>>;
