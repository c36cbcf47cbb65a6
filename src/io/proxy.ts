import type { Agent } from "node:http";
import { DeliveryError } from "../core/errors.ts";
import { isLoopback } from "../core/loopback.ts";
import { isExempt } from "./no-proxy.ts";

const variables = ["https_proxy", "http_proxy", "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);

/** Agents by proxy address and target protocol. Reusing an agent keeps its connections open. */
const agents = new Map<string, Agent>();

/** Checks if the environment may name a proxy for a request. Requests to this machine never use a proxy. */
export function isProxied({ hostname }: URL): boolean {
  return !isLoopback(hostname) && variables.some((name) => process.env[name]);
}

/**
 * Returns an agent for the proxy that the environment names: HTTPS_PROXY or HTTP_PROXY, depending on the target's
 * protocol, or else ALL_PROXY. Undefined if there is no proxy, or if NO_PROXY exempts the target. For an https target
 * the agent makes a tunnel, so that the proxy sees only the target's host name. Call this function only if `isProxied`
 * returns true, because it loads libraries.
 * @throws {DeliveryError} `rejected` for an invalid proxy address. The address may contain a password and is not shown.
 */
export async function proxyAgent(target: URL): Promise<Agent | undefined> {
  if (isExempt(target, process.env["no_proxy"] || process.env["NO_PROXY"] || "")) return undefined;
  const { getProxyForUrl, makeAgent } = await import("./proxy-agents.ts");
  const { href, protocol } = target;
  const proxy = getProxyForUrl(href);
  if (proxy === "") return undefined;
  if (!URL.canParse(proxy) || !/^https?:$/.test(new URL(proxy).protocol)) {
    const hint = "Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or add the host to NO_PROXY.";
    throw new DeliveryError("rejected", "the proxy in the environment is not an http(s) address", { hint });
  }
  const key = `${protocol} ${proxy}`;
  const agent = agents.get(key) ?? makeAgent(proxy, protocol);
  agents.set(key, agent);
  return agent;
}
