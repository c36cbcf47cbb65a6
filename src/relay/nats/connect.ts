import { setTimeout as sleep } from "node:timers/promises";
import {
  AuthorizationError,
  connect,
  type NatsConnection,
  nkeyAuthenticator,
  PermissionViolationError,
  UserAuthenticationExpiredError,
} from "@nats-io/transport-node";
import packageFile from "../../../package.json" with { type: "json" };
import { DeliveryError, readErrno } from "../../core/errors.ts";
import { compareVersions } from "../../text/version.ts";
import {
  buildInboxPrefix,
  type Credentials,
  derivePublicKey,
  machineCredentialsSchema,
  readCredentials,
} from "./credentials.ts";

/** Error codes that mean a broken connection. */
const brokenCodes: readonly unknown[] = [
  "EPIPE",
  "ECONNRESET",
  "ECONNABORTED",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
];

// While connecting, the client library has moments in which no listener handles socket errors.
// A server that reloads or stops in such a moment would crash this process. The failing step reports the error too.
process.on("uncaughtException", (error) => {
  if (!brokenCodes.includes(readErrno(error))) throw error;
});

const connectTimeoutMs = 10_000;
const pingIntervalMs = 5_000;

/**
 * Connects as the user whom the credentials identify. Never reconnects a broken connection: after a network partition,
 * a new connection works half a minute sooner.
 * @param servers `tls://host:4222`, or `nats://` without encryption
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
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
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

/** Connects, runs `use` with the connection, and closes the connection. @throws {DeliveryError} */
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

/** Closes a connection. Gives up after one second if the server does not answer. */
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

/** Tells if an error means that the server refused the credentials. A timeout does not: the server may just be busy. */
function isRefusal(error: unknown): boolean {
  if (error instanceof Error && /timeout/i.test(error.message)) return false;
  return [AuthorizationError, UserAuthenticationExpiredError, PermissionViolationError].some(
    (Kind) => error instanceof Kind,
  );
}

function findRootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? findRootCause(error.cause) : error;
}

/**
 * Tests a machine's credentials by connecting to a server.
 * @returns the server's version
 * @throws {DeliveryError | ConfigError}
 */
export async function tryConnect(servers: readonly string[], creds: string): Promise<string> {
  const credentials = readCredentials(creds, machineCredentialsSchema, "creds");
  return withConnection(servers, credentials, async ({ info }) => info?.version ?? "");
}

/** Oldest supported nats-server version. Older versions lack some stream features that beckon uses. */
export const oldestVersion = "2.12";

export function isNewEnough(version: string): boolean {
  return compareVersions(version, oldestVersion) >= 0;
}
