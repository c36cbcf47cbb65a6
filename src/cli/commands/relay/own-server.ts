import { CommandError, DeliveryError, InputError, UsageError } from "../../../core/errors.ts";
import type { OwnServer } from "../../../relay/server/server-settings.ts";
import { dayMs, parseDuration } from "../../../text/time.ts";
import type { CliContext } from "../../context.ts";

/** Maximum validity of an invitation, milliseconds: about 27 years. */
const maxExpiryMs = 9_999 * dayMs;

/** Reads the settings of this machine's server. @throws {CommandError} without a server */
export async function requireServer({ paths }: Pick<CliContext, "paths">): Promise<OwnServer> {
  const { readServer } = await import("../../../relay/server/server-settings.ts");
  const server = readServer(paths);
  if (server) return server;
  throw new CommandError("no server is set up on this machine", "To set one up: beckon relay up");
}

/**
 * Runs a function that needs the server.
 * @throws {CommandError} if the server cannot be reached, with the command that starts it
 */
export async function withReachableServer<T>(
  server: OwnServer,
  { environment }: Pick<CliContext, "environment">,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof InputError) throw new CommandError(error.message, "For details: beckon relay status");
    if (!(error instanceof DeliveryError)) throw error;
    const { listOwnAddresses } = await import("../../../relay/server/server-settings.ts");
    const { formatStartCommand } = await import("./server-program.ts");
    const where = listOwnAddresses(server.settings).join(", ");
    if (error.reason !== "unavailable")
      throw new CommandError(`${where}: ${error.message}`, error.hint ?? rewriteFilesHint);
    const start = server.settings.isCluster
      ? "Start nats-server on each of them. For the commands: beckon relay up"
      : `Start it with \`${formatStartCommand(server, environment)}\`, or as a service: see \`beckon relay up\`.`;
    throw new CommandError(`the server does not answer at ${where} (${error.message})`, start);
  }
}

const rewriteFilesHint = "Run `beckon relay up` to write its files again, then restart it.";

/** Parses the validity of an invitation to milliseconds; undefined for no limit. @throws {UsageError} */
export function parseExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text, ["h", "d"]);
  if (ms > 0 && ms <= maxExpiryMs) return ms;
  throw new UsageError(
    `--expires must be a duration such as 12h or 30d, not ${JSON.stringify(text)}`,
    "See `beckon relay invite --help`.",
  );
}
