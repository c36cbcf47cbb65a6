import { withConnection } from "./connect.ts";
import { machineCredentialsSchema, readCredentials } from "./credentials.ts";

/**
 * Connects to the servers with a machine's credentials, to test them.
 * @returns the servers' version
 * @throws {DeliveryError} {ConfigError}
 */
export async function tryConnect(servers: readonly string[], creds: string): Promise<string> {
  const credentials = readCredentials(creds, machineCredentialsSchema, "creds");
  return withConnection(servers, credentials, async ({ info }) => info?.version ?? "");
}
