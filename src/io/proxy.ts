import type { Agent } from "node:http";
import { BlockList, isIP } from "node:net";
import { DeliveryError } from "../core/errors.ts";
import { isLoopback } from "../core/http-port.ts";

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

/**
 * Checks if the entries of NO_PROXY exempt a request from the proxy, by the rules of curl since 7.86 and Go. An entry
 * with a domain also covers the domain's hosts, with or without a leading dot. An entry may be a range of addresses
 * (`10.0.0.0/8`). A trailing dot is ignored. An entry with a port covers only that port.
 * https://curl.se/docs/manpage.html#NOPROXY
 */
export function isExempt(target: URL, list: string): boolean {
  const host = withoutDots(target.hostname.replace(/^\[|\]$/g, ""));
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => entry !== "" && covers(entry.toLowerCase(), host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, bracketed, name = bracketed ?? entry, wantedPort] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(host) !== 0) return coversAddress(name, host);
  if (name.startsWith("*") && !name.startsWith("*.")) return host.endsWith(withoutDots(name.slice(1)));
  const domain = withoutDots(name.replace(/^\*?\./, ""));
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

function coversAddress(range: string, host: string): boolean {
  const [address = "", bits] = range.split("/");
  const family = readFamily(address);
  if (family === undefined) return false;
  const maxBits = family === "ipv4" ? 32 : 128;
  const size = bits === undefined ? maxBits : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.POSITIVE_INFINITY;
  if (size > maxBits) return false;
  const found = new BlockList();
  found.addSubnet(address, size, family);
  return found.check(host, readFamily(host));
}

function readFamily(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}

function withoutDots(name: string): string {
  return name.replace(/\.+$/, "");
}
