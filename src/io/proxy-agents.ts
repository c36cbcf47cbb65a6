/**
 * The libraries that lead requests through a proxy; loaded only where there is one. Imported by name and not by
 * `import()`: these packages are CommonJS, whose names a bundled `import()` does not have.
 */
import type { Agent } from "node:http";
import { HttpProxyAgent } from "http-proxy-agent";
import { HttpsProxyAgent } from "https-proxy-agent";

export { getProxyForUrl } from "proxy-from-env";

/** An agent for targets of a protocol behind a proxy's address. */
export function makeAgent(proxy: string, protocol: string): Agent {
  return protocol === "http:" ? new HttpProxyAgent(proxy) : new HttpsProxyAgent(proxy);
}
