import type { Agent } from "node:http";
import { DeliveryError } from "../core/errors.ts";
import { isLoopback } from "../core/loopback.ts";
import { isExempt } from "./no-proxy.ts";

const variables = ["https_proxy", "http_proxy", "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);

/** Agents by the proxy's address and the target's protocol, so that connections are kept. */
const agents = new Map<string, Agent>();

/** Whether the environment may name a proxy for a request. Requests to this machine go through none. */
export function isProxied({ hostname }: URL): boolean {
  return !isLoopback(hostname) && variables.some((name) => process.env[name]);
}

/**
 * The agent that leads a request through the proxy of the environment: HTTPS_PROXY or HTTP_PROXY by the target's
 * protocol, else ALL_PROXY, unless NO_PROXY names the target; undefined where there is none. An https target gets a
 * tunnel: the proxy sees its name and nothing more. Only for what `isProxied`; for all else nothing is loaded.
 * @throws {DeliveryError} `rejected` for a proxy that is no http(s) address, which is not shown: it may hold a password
 */
export async function proxyAgent(target: URL): Promise<Agent | undefined> {
  if (isExempt(target, process.env["no_proxy"] || process.env["NO_PROXY"] || "")) return undefined;
  const { getProxyForUrl, makeAgent } = await import("./proxy-agents.ts");
  const { href, protocol } = target;
  const proxy = getProxyForUrl(href);
  if (proxy === "") return undefined;
  if (!URL.canParse(proxy) || !/^https?:$/.test(new URL(proxy).protocol)) {
    const hint = "Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or name the host in NO_PROXY.";
    throw new DeliveryError("rejected", "the proxy in the environment is not an http(s) address", { hint });
  }
  const key = `${protocol} ${proxy}`;
  const agent = agents.get(key) ?? makeAgent(proxy, protocol);
  agents.set(key, agent);
  return agent;
}
