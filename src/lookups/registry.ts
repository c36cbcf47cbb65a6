import type { Lookup } from "../core/lookup.ts";

/** Functions that load the lookups, by name. A lookup is loaded when it is first used. */
export const lookupLoaders: Readonly<Record<string, () => Promise<Lookup>>> = {
  transcript: async () => (await import("./transcript.ts")).transcript,
  service: async () => (await import("./service.ts")).service,
};
