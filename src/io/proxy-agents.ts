/**
 * Proxy libraries, in a module of their own so that they are loaded only if there is a proxy. The module uses `import`
 * statements, because in the bundle `import()` does not provide the names that CommonJS packages export.
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
