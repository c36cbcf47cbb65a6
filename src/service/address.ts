import { isLoopback } from "../core/http-port.ts";
import { ArgumentError } from "./error.ts";

/**
 * Tells if the key may be sent to an address: https, or http on this machine, and without a user name, query
 * or fragment.
 */
export function isServiceAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isPrivate = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isPrivate && `${username}${password}${search}${hash}` === "";
}

/**
 * Tells if a value can be an id in a request's path. Rejects an empty text, `.` and `..`, because they lead to another
 * endpoint even if encoded, and rejects invalid Unicode, which cannot be encoded.
 */
export function isServiceId(value: unknown): value is string {
  return typeof value === "string" && !["", ".", ".."].includes(value) && value.isWellFormed();
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Builds the path of a request below the service's address.
 * @param template path with `{name}` for each id of `ids`; ids are encoded
 * @throws {ArgumentError} for an invalid id; the error names it
 */
export function servicePath(template: string, ids: Values): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (isServiceId(id)) return encodeURIComponent(id);
    throw new ArgumentError(name, `\`${name}\` must be an id: any text but an empty one, "." and ".."`);
  });
}

/**
 * Builds the URL of a request, always below the base address.
 * @param path from `servicePath`
 */
export function serviceUrl(base: string, path: string, query: Values = {}): string {
  const { origin, pathname } = new URL(base);
  // The origin ends before the base's path, so a base that ends in `//host` cannot become another host.
  return withSearch(`${origin}${pathname.replace(/\/+$/, "")}${path}`, query);
}

/** Adds a query to a URL without a query. Undefined values are left out. */
export function withSearch(url: string, query: Values): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return search.size === 0 ? url : `${url}?${search}`;
}
