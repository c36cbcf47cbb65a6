import { isLoopback } from "../core/loopback.ts";
import { ArgumentError } from "./error.ts";

/** Whether the key may be sent to this address: https, or http on this machine, without user, query or fragment. */
export function isServiceAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isPrivate = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isPrivate && `${username}${password}${search}${hash}` === "";
}

/**
 * Whether a value can be put into a request's path as an id: any text but an empty one, `.` and `..`, which would lead
 * to another endpoint however they are encoded, and one that is not valid Unicode, which cannot be encoded.
 */
export function isServiceId(value: unknown): value is string {
  return typeof value === "string" && !["", ".", ".."].includes(value) && value.isWellFormed();
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The path of a request below the service's address.
 * @param template path with `{name}` in place of each id of `ids`, which are encoded
 * @throws {ArgumentError} that names the id
 */
export function servicePath(template: string, ids: Values): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (isServiceId(id)) return encodeURIComponent(id);
    throw new ArgumentError(name, `\`${name}\` must be an id: any text but an empty one, "." and ".."`);
  });
}

/** The URL of a request. It always stays below the base address. @param path from `servicePath` */
export function serviceUrl(base: string, path: string, query: Values = {}): string {
  const { origin, pathname } = new URL(base);
  // The origin says the host before the base's path, so that a base that ends in `//host` cannot become another host.
  return withSearch(`${origin}${pathname.replace(/\/+$/, "")}${path}`, query);
}

/** A URL without a query, with one. Undefined values are left out. */
export function withSearch(url: string, query: Values): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return search.size === 0 ? url : `${url}?${search}`;
}
