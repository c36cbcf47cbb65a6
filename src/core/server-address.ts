import * as z from "zod";

/** The address of a server of the user's, `https://host[:port][/path]`, without a slash at its end. */
export const serverAddress = z
  .url({ protocol: /^https?$/, error: "must be an http(s) address" })
  .refine((text) => !/[?#@]/.test(text), "no user, query or fragment")
  .transform((text) => text.replace(/\/+$/, ""));

/** Whether only this machine or its own network can reach an address: loopback, private ranges, names without a dot. */
export function isPrivateAddress(address: string): boolean {
  const { hostname } = new URL(address);
  if (/^(localhost|\[::1\]|\[f[cde][0-9a-f:]+\])$/.test(hostname)) return true;
  if (/^\d+(\.\d+){3}$/.test(hostname)) {
    const [a = 0, b = 0] = hostname.split(".").map(Number);
    return (
      a === 127 || a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b < 32) || (a === 169 && b === 254)
    );
  }
  return !hostname.includes(".") || /\.(local|lan|internal|home\.arpa|localhost)$/.test(hostname);
}
