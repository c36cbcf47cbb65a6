import { close, connectNats } from "./connect.ts";
import { machineCredentialsSchema, readCredentials } from "./credentials.ts";

/**
 * Connects to the servers with a machine's credentials, to test them.
 * @returns the servers' version
 * @throws {DeliveryError} {ConfigError}
 */
export async function tryConnect(servers: readonly string[], creds: string): Promise<string> {
  const connection = await connectNats(servers, readCredentials(creds, machineCredentialsSchema, "creds"));
  const version = connection.info?.version ?? "";
  await close(connection);
  return version;
}
