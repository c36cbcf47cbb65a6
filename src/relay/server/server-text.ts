import { join } from "node:path";
import { bucketBytes } from "../nats/names.ts";
import { keyOf } from "../nats/user-key.ts";
import { type Node, nodesOf, type OwnServer, type ServerSettings } from "./server-settings.ts";

/** The file of rights, which the configuration includes. */
export const usersFile = "users.conf";
export const configFile = "nats-server.conf";

/** Largest message that the server reads at all, bytes; the stream takes less. */
const maxPayloadBytes = 128 * 1024;
const clusterPort = 6_222;

/**
 * The configuration of a server of NATS: https://docs.nats.io/running-a-nats-service/configuration. One server's names
 * its files by absolute paths; that of a cluster's is copied to another machine, and started in its folder.
 */
export function serverText({ settings, keys }: Pick<OwnServer, "settings" | "keys">, node: Node): string {
  const { listen, maxBytes, isCluster } = settings;
  const at = (name: string): string => quoted(isCluster ? name : join(node.folder, name));
  return `# Written by beckon. \`beckon relay up\` writes it anew: what is changed here by hand is lost then.
server_name: ${quoted(node.name)}
listen: ${quoted(`${listen.host}:${listen.port}`)}
pid_file: ${at("nats-server.pid")}

tls {
  cert_file: ${at("server.pem")}
  key_file: ${at("server.key")}
  min_version: "1.2"
  timeout: 5
}

jetstream {
  store_dir: ${at("jetstream")}
  # What was acknowledged is on the disk, also after a power cut.
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
    users: [${userText(keyOf(keys.system), { publish: ["$SYS.REQ.SERVER.>"] })}]
  }
}
system_account: SYS
`;
}

function clusterText(settings: ServerSettings, own: Node): string {
  const others = nodesOf(settings, "").filter(({ name }) => name !== own.name);
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

interface TextRights {
  readonly publish: readonly string[];
  readonly subscribe?: readonly string[];
}

/** A user in the server's configuration; without other rights to listen it hears the answers to it. */
export function userText(key: string, { publish, subscribe = [`_INBOX.${key}.>`] }: TextRights): string {
  const list = (subjects: readonly string[]): string => `[${subjects.map(quoted).join(", ")}]`;
  const rights = `publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} }`;
  return `{ nkey: ${key}, permissions: { ${rights} } }`;
}

/** A text in double quotes, as the server reads it; only what needs no escape is ever written. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
