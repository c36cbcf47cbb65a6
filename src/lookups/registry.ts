import type { Lookup } from "../core/lookup.ts";

/** Every lookup by its name, loaded when first used. */
export const lookupLoaders = {} satisfies Record<string, () => Promise<Lookup>>;
