import { join } from "node:path";
import { buildInboxPrefix, derivePublicKey } from "../nats/credentials.ts";
import { bucketBytes } from "../nats/names.ts";
import { listNodes, type Node, type OwnServer, type ServerSettings } from "./server-settings.ts";

/** Name of the permissions file, which the server configuration includes. */
export const usersFile = "users.conf";
export const configFile = "nats-server.conf";

/** Maximum size of a message that the server reads, bytes. The stream accepts less. */
const maxPayloadBytes = 128 * 1024;
const clusterPort = 6_222;

/**
 * Renders a NATS server configuration. A single server uses absolute paths. In a cluster, paths are relative, because
 * each server's folder is copied to another machine.
 * https://docs.nats.io/running-a-nats-service/configuration
 */
export function serverText({ settings, keys }: Pick<OwnServer, "settings" | "keys">, node: Node): string {
  const { listen, maxBytes, isCluster } = settings;
  const quotedPath = (name: string): string => quoted(isCluster ? name : join(node.folder, name));
  return `# Written by beckon. \`beckon relay up\` overwrites it, and changes made by hand are lost.
server_name: ${quoted(node.name)}
listen: ${quoted(`${listen.host}:${listen.port}`)}
pid_file: ${quotedPath("nats-server.pid")}

tls {
  cert_file: ${quotedPath("server.pem")}
  key_file: ${quotedPath("server.key")}
  min_version: "1.2"
  timeout: 5
}

jetstream {
  store_dir: ${quotedPath("jetstream")}
  # Every acknowledged message is on the disk, even after a power cut.
  sync_interval: always
  max_file_store: ${maxBytes + 2 * bucketBytes}
  max_memory_store: 67108864
}

max_payload: ${maxPayloadBytes}
max_subscriptions: 100
${isCluster ? clusterText(settings, node) : ""}
accounts {
  BECKON {
    jetstream: enabled
    include ${quoted(usersFile)}
  }
  SYS {
    users: [${userText(derivePublicKey(keys.system), ["$SYS.REQ.SERVER.>"])}]
  }
}
system_account: SYS
`;
}

function clusterText(settings: ServerSettings, self: Node): string {
  const others = listNodes(settings, "").filter(({ name }) => name !== self.name);
  const routes = others.map(({ name }) => quoted(`tls://${name}:${clusterPort}`));
  return `
cluster {
  name: "beckon"
  listen: ${quoted(`${settings.listen.host}:${clusterPort}`)}
  routes: [${routes.join(", ")}]
  tls {
    cert_file: "server.pem"
    key_file: "server.key"
    ca_file: "ca.pem"
    verify: true
    timeout: 5
  }
}
`;
}

/** Renders a user for the server configuration. The user may only subscribe to its own replies. */
export function userText(key: string, publish: readonly string[]): string {
  const list = (subjects: readonly string[]): string => `[${subjects.map(quoted).join(", ")}]`;
  const subscribe = [`${buildInboxPrefix(key)}.>`];
  const rights = `publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} }`;
  return `{ nkey: ${key}, permissions: { ${rights} } }`;
}

/** Quotes a text for the server configuration, and escapes backslashes and quotation marks in it. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
