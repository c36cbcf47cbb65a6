import { CommandError, DeliveryError, InputError, UsageError } from "../../../core/errors.ts";
import type { OwnServer } from "../../../relay/server/server-settings.ts";
import { dayMs, parseDuration } from "../../../text/time.ts";
import type { CliContext } from "../../context.ts";

/** Longest time that an invitation may be good: some 27 years, milliseconds. */
const maxExpiryMs = 9_999 * dayMs;

/** The server that this machine looks after. @throws {CommandError} where there is none */
export async function requireServer({ paths }: Pick<CliContext, "paths">): Promise<OwnServer> {
  const { readServer } = await import("../../../relay/server/server-settings.ts");
  const server = readServer(paths);
  if (server) return server;
  throw new CommandError("this machine looks after no server", "`beckon relay up` sets one up.");
}

/**
 * Runs something that needs the server.
 * @throws {CommandError} where it cannot be reached, with the command that starts it
 */
export async function whileReached<T>(
  server: OwnServer,
  { environment }: Pick<CliContext, "environment">,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof InputError) throw new CommandError(error.message, "`beckon relay status` says more.");
    if (!(error instanceof DeliveryError)) throw error;
    const { ownAddressesOf } = await import("../../../relay/server/server-settings.ts");
    const { startByHand } = await import("./server-program.ts");
    const where = ownAddressesOf(server.settings).join(", ");
    if (error.reason !== "unavailable") throw new CommandError(`${where}: ${error.message}`, error.hint ?? upAgain);
    const start = server.settings.isCluster
      ? "Start nats-server on each of them; `beckon relay up` says how."
      : `Start it: ${startByHand(server, environment)}; \`beckon relay up\` shows how to have it run for good.`;
    throw new CommandError(`the server does not answer at ${where} (${error.message})`, start);
  }
}

const upAgain = "`beckon relay up` writes its files anew; then start it again.";

/** How long an invitation is to be good, milliseconds. @throws {UsageError} */
export function parseExpiry(text: string): number {
  const ms = parseDuration(text, ["h", "d"]);
  if (ms > 0 && ms <= maxExpiryMs) return ms;
  throw new UsageError(`--expires: ${text} is no time such as 12h or 30d`, "See `beckon relay invite --help`.");
}
