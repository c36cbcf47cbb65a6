import type { Lookup } from "../core/lookup.ts";

type Loader = () => Promise<Lookup>;

/** Every lookup by its name, loaded when first used. */
export const lookupLoaders: Readonly<Record<string, Loader>> = {
  transcript: async () => (await import("./transcript.ts")).transcript,
  service: async () => (await import("./service.ts")).service,
};
