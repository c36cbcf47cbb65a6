import type { Config } from "../config/config.ts";
import { configCache } from "../config/load.ts";
import { resolveReferences } from "../config/references.ts";
import type { RelaySource } from "../config/relay-table.ts";
import { BeckonError } from "../core/errors.ts";
import type { ExecPort } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";

/**
 * Secrets are read again while something does not connect, so that new ones count; each time may run a program of the
 * user's.
 */
const readAgainMs = 60_000;

/** What to connect to, the secrets read. */
export interface Sources {
  readonly sources: readonly RelaySource[];
  /** The key that opens what is sealed for this machine. */
  readonly identity: string | undefined;
  readonly secrets: readonly string[];
  /** Why a source is left out. */
  readonly problem?: string;
}

/**
 * A function that returns the sources of the configuration as it is on disk now.
 * @returns called with the time, and whether all is connected
 */
export function sourcesOf(paths: Paths, exec: ExecPort): (nowMs: number, areConnected: boolean) => Promise<Sources> {
  const readConfig = configCache(paths.config);
  let last: { readonly config: Config; readonly atMs: number; readonly sources: Sources } | undefined;
  return async (nowMs, areConnected) => {
    const config = await readConfig();
    const isWell = areConnected && last?.sources.problem === undefined;
    const isFresh = last?.config === config && (isWell || nowMs - last.atMs < readAgainMs);
    if (!last || !isFresh) last = { config, atMs: nowMs, sources: await resolve(config, exec) };
    return last.sources;
  };
}

/**
 * None while the key cannot be read, so that they keep what they have; a server's credentials concern that one alone.
 */
async function resolve({ relay }: Config, exec: ExecPort): Promise<Sources> {
  const { from = [], identity: given } = relay ?? {};
  const secrets: string[] = [];
  let problem: string | undefined;
  const read = async <Value>(value: Value, path: string): Promise<Value | undefined> => {
    try {
      const resolved = await resolveReferences(value, path, exec);
      secrets.push(...resolved.secrets);
      return resolved.value as Value;
    } catch (error) {
      if (!(error instanceof BeckonError)) throw error;
      problem ??= error.message;
      return undefined;
    }
  };
  const identity = from.length === 0 ? undefined : await read(given, "relay.identity");
  if (problem !== undefined) return { sources: [], identity: undefined, secrets, problem };
  const sources = await Promise.all(
    from.map((source, index) => ("via" in source ? source : read(source, `relay.from[${index}]`))),
  );
  return {
    sources: sources.filter((source) => source !== undefined),
    identity,
    secrets,
    ...(problem !== undefined && { problem }),
  };
}
