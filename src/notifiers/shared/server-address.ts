import { BlockList, isIPv6 } from "node:net";
import * as z from "zod";

/** The address of a server of the user's, `https://host[:port][/path]`, without a slash at its end. */
export const serverAddress = z
  .url({ protocol: /^https?$/, error: "must be an http(s) address" })
  .refine((text) => !/[?#@]/.test(text), "no user, query or fragment")
  .overwrite((text) => text.replace(/\/+$/, ""));

/** Addresses that no router of the internet forwards: RFC 1122, 1918, 3927, 4193, 4291. */
const privateNetworks = new BlockList();
privateNetworks.addSubnet("127.0.0.0", 8);
privateNetworks.addSubnet("10.0.0.0", 8);
privateNetworks.addSubnet("172.16.0.0", 12);
privateNetworks.addSubnet("192.168.0.0", 16);
privateNetworks.addSubnet("169.254.0.0", 16);
privateNetworks.addAddress("::1", "ipv6");
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");

/** Names that mean something within one's own network alone: RFC 6761, 6762, 8375; `.internal` is reserved for it. */
const privateName = /^[^.]+$|\.(local|lan|internal|home\.arpa|localhost)$/;

/** Whether only this machine or its own network can reach an address. What cannot be told by the name alone is not. */
export function isPrivateAddress(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, "");
  if (isIPv6(host)) return privateNetworks.check(host, "ipv6");
  return /^[\d.]+$/.test(host) ? privateNetworks.check(host) : privateName.test(host);
}
