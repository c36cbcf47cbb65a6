import { loadConfig } from "../../config/load.ts";
import { resolveReferences } from "../../config/references.ts";
import { type ServerSource, sourceName } from "../../config/relay-table.ts";
import { CommandError } from "../../core/errors.ts";
import { createExec } from "../../io/exec.ts";
import type { CliContext } from "../context.ts";

/** A server whose team this person is in, with its credentials read, and what it is called. */
export interface TeamServer {
  readonly name: string;
  readonly server: ServerSource;
}

/**
 * The servers of the configuration. @throws {CommandError} where there is none @throws {ConfigError} for a bad
 * reference
 */
export async function teamServers({
  paths,
  environment,
}: Pick<CliContext, "paths" | "environment">): Promise<readonly TeamServer[]> {
  const { relay } = await loadConfig(paths.config);
  const exec = createExec(environment.env);
  const servers = (relay?.from ?? []).flatMap((source, at) => ("servers" in source ? [{ source, at }] : []));
  if (servers.length === 0) {
    throw new CommandError(
      "no server is set up here that you share with a team",
      "`beckon relay join FILE` sets one up, with a person's invitation.",
    );
  }
  return Promise.all(
    servers.map(async ({ source, at }) => {
      const { value } = await resolveReferences(source, `relay.from[${at}]`, exec);
      return { name: sourceName(source), server: value as ServerSource };
    }),
  );
}
