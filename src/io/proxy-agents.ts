/**
 * Loads the proxy libraries; imported only if there is a proxy. Imports them by name, because in the bundle an
 * `import()` does not provide the names of CommonJS packages.
 */
import type { Agent } from "node:http";
import { HttpProxyAgent } from "http-proxy-agent";
import { HttpsProxyAgent } from "https-proxy-agent";

export { getProxyForUrl } from "proxy-from-env";

/**
 * Creates an agent that connects through a proxy.
 * @param protocol the target's protocol, `https:` or `http:`
 */
export function makeAgent(proxy: string, protocol: string): Agent {
  return protocol === "http:" ? new HttpProxyAgent(proxy) : new HttpsProxyAgent(proxy);
}
