import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { promisify } from "node:util";

/** Pending lookups by host and address family. */
const underWay = new Map<string, Promise<LookupAddress[]>>();

/**
 * Looks up a host's addresses like Node's `lookup`. Lookups of the same host share one pending lookup, because a lookup
 * cannot be cancelled and blocks one of a few threads, for tens of seconds if the name server does not answer.
 * https://nodejs.org/docs/latest-v20.x/api/dns.html#implementation-considerations
 */
export const lookUpHost: LookupFunction = (host, { all = false, ...options }, callback) => {
  const key = `${host} ${options.family ?? 0} ${options.hints ?? 0}`;
  const addresses = underWay.get(key) ?? lookUpAll(host, { ...options, all: true });
  underWay.set(key, addresses);
  const end = () => underWay.delete(key);
  addresses.then(end, end);
  addresses.then(
    (found) => {
      const [first] = found;
      if (all) callback(null, found);
      else callback(null, first?.address ?? "", first?.family);
    },
    (error: NodeJS.ErrnoException) => callback(error, ""),
  );
};

async function lookUpAll(host: string, options: LookupAllOptions): Promise<LookupAddress[]> {
  const { lookup } = await import("node:dns");
  return promisify(lookup)(host, options);
}

/** Returns true if a lookup of a host is pending. */
export function isBeingLookedUp(host: string): boolean {
  return [...underWay.keys()].some((key) => key.startsWith(`${host} `));
}
