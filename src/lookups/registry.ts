import type { Lookup } from "../core/lookup.ts";

type Loader = () => Promise<Lookup>;

/** All lookups by name, loaded on first use. */
export const lookupLoaders: Readonly<Record<string, Loader>> = {
  transcript: async () => (await import("./transcript.ts")).transcript,
  service: async () => (await import("./service.ts")).service,
};
