import type { Config } from "../config/config.ts";
import { configCache } from "../config/load.ts";
import { resolveReferences } from "../config/references.ts";
import type { RelaySource } from "../config/relay-table.ts";
import { BeckonError } from "../core/errors.ts";
import type { ExecPort } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";

/** Interval for resolving secrets again while a source is disconnected, milliseconds. Resolving may run a program. */
const secretRereadMs = 60_000;

/** Sources from the configuration, with their secrets resolved. */
export interface Sources {
  readonly sources: readonly RelaySource[];
  /** Secret key that decrypts envelopes sealed for this machine. */
  readonly identity: string | undefined;
  readonly secrets: readonly string[];
  /** Reason why a source is left out. */
  readonly problem?: string;
}

/**
 * Creates a function that returns the configured sources. It resolves them again if the configuration has changed and,
 * while a source is disconnected or left out, once a minute.
 * @returns function of the current time, and of whether all sources are connected
 */
export function createSourceReader(
  paths: Paths,
  exec: ExecPort,
): (nowMs: number, areConnected: boolean) => Promise<Sources> {
  const readConfig = configCache(paths.config);
  let last: { readonly config: Config; readonly atMs: number; readonly sources: Sources } | undefined;
  return async (nowMs, areConnected) => {
    const config = await readConfig();
    const isHealthy = areConnected && last?.sources.problem === undefined;
    const isFresh = last?.config === config && (isHealthy || nowMs - last.atMs < secretRereadMs);
    if (!last || !isFresh) last = { config, atMs: nowMs, sources: await resolveSources(config, exec) };
    return last.sources;
  };
}

/**
 * Resolves the sources' secrets. If `relay.identity` cannot be resolved, returns no sources: the senders then keep
 * their events. If a server's credentials cannot be resolved, leaves out that server only.
 */
async function resolveSources({ relay }: Config, exec: ExecPort): Promise<Sources> {
  const { from = [], identity: configuredIdentity } = relay ?? {};
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
  const identity = from.length === 0 ? undefined : await read(configuredIdentity, "relay.identity");
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
