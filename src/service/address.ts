import { ArgumentError } from "./error.ts";

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** An address the key may be sent to: https, or http on this machine; no user, query or fragment. */
export function isServiceAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isPrivate = protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
  return isPrivate && `${username}${password}${search}${hash}` === "";
}

/** Whether a text may stand in a request's path. Everything else could lead to another endpoint, e.g. `..`. */
export function isServiceId(text: unknown): text is string {
  return typeof text === "string" && idPattern.test(text);
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The address of a request: below the base address, whatever is filled into the template.
 * @param template path with `{name}` where a part of `parts` stands
 * @throws {ArgumentError} that names the part
 */
export function serviceUrl(base: string, template: string, parts: Values, query: Values = {}): URL {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = parts[name];
    if (isServiceId(part)) return part;
    throw new ArgumentError(name, `\`${name}\` must be an id: 1 to 128 letters, digits, "-" and "_"`);
  });
  const url = new URL(base);
  // Set as a path, so that a base that ends in `//host` cannot become another host.
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  url.search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return url;
}
