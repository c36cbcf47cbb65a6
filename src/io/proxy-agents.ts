/**
 * Proxy libraries, loaded only if there is a proxy. Imported by name, because a bundled `import()` lacks the names of
 * CommonJS packages.
 */
import type { Agent } from "node:http";
import { HttpProxyAgent } from "http-proxy-agent";
import { HttpsProxyAgent } from "https-proxy-agent";

export { getProxyForUrl } from "proxy-from-env";

/** Creates an agent for a proxy and the target's protocol. */
export function makeAgent(proxy: string, protocol: string): Agent {
  return protocol === "http:" ? new HttpProxyAgent(proxy) : new HttpsProxyAgent(proxy);
}
