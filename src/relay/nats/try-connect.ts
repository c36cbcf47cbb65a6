import { withConnection } from "./connect.ts";
import { machineCredentialsSchema, readCredentials } from "./credentials.ts";

/**
 * Tests a machine's credentials by connecting to a server.
 * @returns the server's version
 * @throws {DeliveryError | ConfigError}
 */
export async function tryConnect(servers: readonly string[], creds: string): Promise<string> {
  const credentials = readCredentials(creds, machineCredentialsSchema, "creds");
  return withConnection(servers, credentials, async ({ info }) => info?.version ?? "");
}
