import type { Lookup } from "../core/lookup.ts";

/** Every lookup by its name, loaded when first used. */
export const lookupLoaders = {
  transcript: async () => (await import("./transcript.ts")).transcript,
  service: async () => (await import("./service.ts")).service,
} satisfies Record<string, () => Promise<Lookup>>;
