import { BlockList, isIPv6 } from "node:net";
import * as z from "zod";

/** Setting for a server's address, `https://host[:port][/path]`; trailing slashes are dropped. */
export const serverAddress = z
  .url({ protocol: /^https?$/, error: "must be an http(s) address" })
  .refine((text) => !/[?#@]/.test(text), "must have no user, query or fragment")
  .overwrite((text) => text.replace(/\/+$/, ""));

/** Addresses that are not routed on the internet: RFC 1122, 1918, 3927, 4193, 4291. */
const privateNetworks = new BlockList();
privateNetworks.addSubnet("127.0.0.0", 8);
privateNetworks.addSubnet("10.0.0.0", 8);
privateNetworks.addSubnet("172.16.0.0", 12);
privateNetworks.addSubnet("192.168.0.0", 16);
privateNetworks.addSubnet("169.254.0.0", 16);
privateNetworks.addAddress("::1", "ipv6");
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");

/** Host names within a local network: RFC 6761, 6762, 8375, and the reserved `.internal`. */
const privateName = /^[^.]+$|\.(local|lan|internal|home\.arpa|localhost)$/;

/** Tells, from the host alone, if an address is reachable only from this machine or its local network. */
export function isPrivateAddress(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, "");
  if (isIPv6(host)) return privateNetworks.check(host, "ipv6");
  return /^[\d.]+$/.test(host) ? privateNetworks.check(host) : privateName.test(host);
}
