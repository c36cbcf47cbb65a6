import type { Agent } from "node:http";
import { DeliveryError } from "../core/errors.ts";
import { isLoopback } from "../core/loopback.ts";
import { isExempt } from "./no-proxy.ts";

const variables = ["https_proxy", "http_proxy", "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);

const correctProxy = "Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or add the host to NO_PROXY.";

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
    throw new DeliveryError("rejected", "the proxy in the environment is not an http(s) address", {
      hint: correctProxy,
    });
  }
  const key = `${protocol} ${proxy}`;
  const agent = agents.get(key) ?? makeAgent(proxy, protocol);
  agents.set(key, agent);
  return agent;
}

/** Makes the error for a connection to the proxy itself that failed; undefined for an error behind the proxy. */
export function proxyFailure(error: Error): DeliveryError | undefined {
  const { syscall, code = "connection lost" } = error as NodeJS.ErrnoException;
  if (syscall !== "connect" && syscall !== "getaddrinfo") return undefined;
  return new DeliveryError("unavailable", `the proxy in the environment cannot be reached (${code})`, {
    hint: correctProxy,
  });
}

/** Makes the error for a request that the proxy refused to pass on. */
export function proxyRefusal({ origin }: URL, status: number): DeliveryError {
  const isUnnamed = status === 407;
  const message = `the proxy in the environment answered ${status}, not ${origin}`;
  const credentials = "Write the proxy's user name and password in HTTPS_PROXY, as http://user:password@host:port.";
  const hint = isUnnamed ? credentials : "Ask whoever runs the proxy, or add the host to NO_PROXY.";
  return new DeliveryError(isUnnamed ? "auth" : "unavailable", message, { status, hint });
}
