import { close, connectNats } from "./connect.ts";
import { machineCredentialsSchema, readCredentials } from "./credentials.ts";

/**
 * Whether a machine with agents gets through to its servers.
 * @returns their version
 * @throws {DeliveryError} {ConfigError}
 */
export async function tryConnect(servers: readonly string[], creds: string): Promise<string> {
  const connection = await connectNats(servers, readCredentials(creds, machineCredentialsSchema, "creds"));
  const version = connection.info?.version ?? "";
  await close(connection);
  return version;
}
