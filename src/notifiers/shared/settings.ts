import { BlockList, isIPv6 } from "node:net";
import { isAbsolute } from "node:path";
import * as z from "zod";
import { secret } from "../../core/secret.ts";
import { type Kind, kinds } from "../../core/vocabulary.ts";

/** Setting for a server's address, `https://host[:port][/path]`; trailing slashes are dropped. */
export const serverAddress = z
  .url({ protocol: /^https?$/, error: "must be an http(s) address, such as https://host/path" })
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

/** Settings for user name and password, next to the notifier's own `token`. */
export const userSettings = {
  user: z
    .string()
    .regex(/^[^:]+$/, "must not contain a colon")
    .optional()
    .describe("User name, instead of a token."),
  password: secret(z.string().min(1)).optional().describe("Password of `user`."),
};

type Login = Partial<Record<"token" | "user" | "password", string | undefined>>;

/** Makes the login header from the token, or else from user name and password. Empty if the settings have no login. */
export function loginHeaders({ token, user, password = "" }: Login): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return user === undefined ? {} : { authorization: basic(user, password) };
}

/** Makes an `authorization` header for a user name without `:`. https://www.rfc-editor.org/rfc/rfc7617#section-2 */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** Makes an object with a setting for each kind. */
export function forKinds<Setting>(make: (kind: Kind) => Setting): Record<Kind, Setting> {
  return Object.fromEntries(kinds.map((kind) => [kind, make(kind)])) as Record<Kind, Setting>;
}

const absolutePath = z.string().refine(isAbsolute, "must be an absolute path");

/** Makes a setting for the absolute path of a program to run instead of the one that beckon finds. */
export function ownProgram(description: string) {
  return absolutePath.optional().describe(description);
}

/** Makes a setting for the absolute path of a PEM file with the authorities that may issue a server's certificate. */
export function certificateFile() {
  return absolutePath
    .optional()
    .describe(
      "PEM file of certificates to trust instead of the system's, for a server with a private certificate authority.",
    );
}
