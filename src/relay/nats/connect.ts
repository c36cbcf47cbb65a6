import { setTimeout as sleep } from "node:timers/promises";
import {
  AuthorizationError,
  connect,
  type NatsConnection,
  PermissionViolationError,
  UserAuthenticationExpiredError,
} from "@nats-io/transport-node";
import packageFile from "../../../package.json" with { type: "json" };
import { DeliveryError, readErrno } from "../../core/errors.ts";
import type { Credentials } from "./credentials.ts";
import { buildInboxPrefix, createAuthenticator, derivePublicKey } from "./user-key.ts";
import { isNewEnough, oldestVersion } from "./version.ts";

/** Error codes of a broken connection. */
const brokenCodes: readonly unknown[] = [
  "EPIPE",
  "ECONNRESET",
  "ECONNABORTED",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
];

// The client library leaves the socket without a listener between the steps of connecting. A server that reloads or
// stops just then would crash this process. The step itself fails too and reports the error.
process.on("uncaughtException", (error) => {
  if (!brokenCodes.includes(readErrno(error))) throw error;
});

const connectTimeoutMs = 10_000;
const pingIntervalMs = 5_000;

/**
 * Connects as the user of the credentials. A broken connection is replaced rather than reconnected: after a partition a
 * new connection works half a minute sooner.
 * @param servers `tls://host:4222`, or `nats://` if unencrypted
 * @throws {DeliveryError} `auth`, `unavailable`, or `unsupported` if the server is too old
 */
export async function connectNats(
  servers: readonly string[],
  { seed, ca }: Pick<Credentials, "seed" | "ca">,
): Promise<NatsConnection> {
  const needsTls = servers.some((server) => !server.startsWith("nats://"));
  let connection: NatsConnection;
  try {
    connection = await connect({
      servers: [...servers],
      name: `beckon ${packageFile.version}`,
      authenticator: createAuthenticator(seed),
      inboxPrefix: buildInboxPrefix(derivePublicKey(seed)),
      reconnect: false,
      timeout: connectTimeoutMs,
      pingInterval: pingIntervalMs,
      maxPingOut: 2,
      ...(needsTls && { tls: ca === undefined ? {} : { ca } }),
    });
  } catch (error) {
    throw toDeliveryError(error);
  }
  const version = connection.info?.version ?? "";
  if (isNewEnough(version)) return connection;
  await close(connection);
  throw new DeliveryError(
    "unsupported",
    `its NATS is ${version || "of an unknown version"}; beckon needs ${oldestVersion} or newer`,
  );
}

/** Connects for one use. @throws {DeliveryError} */
export async function withConnection<Result>(
  servers: readonly string[],
  credentials: Pick<Credentials, "seed" | "ca">,
  use: (connection: NatsConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await connectNats(servers, credentials);
  try {
    return await use(connection);
  } catch (error) {
    throw toDeliveryError(error);
  } finally {
    await close(connection);
  }
}

/** Ends a connection, also one whose other side does not answer. */
export async function close(connection: NatsConnection): Promise<void> {
  await Promise.race([connection.close().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
}

/** Maps an error of the client library to a delivery error. */
export function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const cause = findRootCause(error);
  if (isRefusal(error) || isRefusal(cause)) {
    return new DeliveryError("auth", "the server does not accept these credentials: revoked, or expired", {
      hint: "`beckon relay invite` on the server's machine makes new ones.",
    });
  }
  const code = readErrno(cause);
  if (/CERT|SIGNATURE/.test(code ?? "")) {
    return new DeliveryError("unavailable", `its certificate is not that of the server which invited (${code})`, {
      hint: "`beckon relay invite` on the server's machine makes an invitation with the present one.",
      cause: error,
    });
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return new DeliveryError("unavailable", code ?? (message || "the server cannot be reached"), { cause: error });
}

/** Tells if the server refused the credentials. A timeout may only mean that the server or this machine is busy. */
function isRefusal(error: unknown): boolean {
  if (error instanceof Error && /timeout/i.test(error.message)) return false;
  return [AuthorizationError, UserAuthenticationExpiredError, PermissionViolationError].some(
    (Kind) => error instanceof Kind,
  );
}

function findRootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? findRootCause(error.cause) : error;
}
