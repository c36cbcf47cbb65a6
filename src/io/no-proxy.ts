import { BlockList, isIP } from "node:net";

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
