import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";

/** Which connection a request takes; `false` is one of its own. */
export type Connections = (target: URL, method: string) => HttpAgent | false;

export const freshConnections: Connections = () => false;

/**
 * Connections kept for the next request to the same address: a walk over a thousand pages makes one. For GET alone: on
 * a kept connection that breaks nobody knows whether a request was carried out, and only a GET may be sent again. An
 * idle connection keeps no process alive.
 */
export function keptConnections(): Connections {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  return ({ protocol }, method) => {
    if (method !== "GET") return false;
    return protocol === "https:" ? https : http;
  };
}
