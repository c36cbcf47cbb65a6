import { loadConfig } from "../../config/load.ts";
import { resolveReferences } from "../../config/references.ts";
import { type ServerSource, sourceName } from "../../config/relay-table.ts";
import { CommandError } from "../../core/errors.ts";
import { createExec } from "../../io/exec.ts";
import type { CliContext } from "../context.ts";

/** Server that one of this user's teams shares, with the user's credentials and the server's name. */
export interface TeamServer {
  readonly name: string;
  readonly server: ServerSource;
}

/**
 * Lists the servers of the configuration.
 * @throws {CommandError} without a server
 * @throws {ConfigError} for an invalid reference
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
      "no team server is set up on this machine",
      "To join a team, run `beckon relay join FILE` with an invitation for a person.",
    );
  }
  return Promise.all(
    servers.map(async ({ source, at }) => {
      const { value } = await resolveReferences(source, `relay.from[${at}]`, exec);
      return { name: sourceName(source), server: value as ServerSource };
    }),
  );
}
