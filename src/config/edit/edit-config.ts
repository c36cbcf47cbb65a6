import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import type * as z from "zod";
import { CommandError } from "../../core/errors.ts";
import { isObject } from "../../core/json-value.ts";
import { addChild, detectLayout, removeChild } from "../../installer/editors/json/edit-text.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { readJsonc } from "../check.ts";
import { defaultKinds, defaultNotifiers } from "../defaults.ts";
import { type MachineSource, type RelaySource, type ServerSource, sourceName } from "../relay-table.ts";
import type { routeSchema } from "../route-table.ts";
import type { Written, WrittenFields } from "../written-value.ts";

/** Notifier to add to a configuration. */
export interface NewNotifier {
  readonly name: string;
  readonly entry: WrittenFields<Readonly<Record<string, unknown>>>;
  /** Conditions of a new route to the notifier; "none" for no route, undefined for the usual kinds. */
  readonly route: RouteConditions | "none" | undefined;
  /** True to leave out the default notifiers, as on a server. */
  readonly isAlone?: boolean;
}

/**
 * Adds a machine from which beckon fetches events, unless the machine is there already. Keeps comments and layout.
 * @throws {CommandError} if the text cannot be parsed, or `relay` has the wrong type
 */
export function addRelaySource(
  text: string,
  file: string,
  source: WrittenFields<MachineSource> | WrittenFields<ServerSource>,
  others: { readonly identity?: Written<string> } = {},
): string {
  const { relay } = (valueIn(text, file) ?? {}) as { relay?: { from?: unknown[]; identity?: unknown } };
  const isThere = relay?.from?.some((item) => isDeepStrictEqual(item, source));
  const withSource = relay?.from
    ? add(text, file, ["relay", "from"], ["", { ...source }])
    : setValue(text, file, ["relay", "from"], [{ ...source }]);
  const result = isThere ? text : withSource;
  const isKnown = others.identity === undefined || relay?.identity !== undefined;
  return isKnown ? result : setValue(result, file, ["relay", "identity"], others.identity);
}

/**
 * Adds a server from which beckon fetches events. Replaces a server with the same address or credentials.
 * @throws {CommandError} if the text cannot be parsed, or `relay` has the wrong type
 */
export function setServerSource(text: string, file: string, source: WrittenFields<ServerSource>): string {
  const { relay } = (valueIn(text, file) ?? {}) as { relay?: { from?: RelaySource[] } };
  const isSame = (item: RelaySource): boolean =>
    isObject(item) && "servers" in item && (item.creds === source.creds || sourceName(item) === sourceName(source));
  const before = relay?.from?.filter(isSame) ?? [];
  if (before.length === 1 && isDeepStrictEqual(before[0], source)) return text;
  const left = [...new Set(before.map(sourceName))].reduce((rest, name) => removeRelaySource(rest, file, name), text);
  return addRelaySource(left, file, source);
}

/** Removes a machine from which beckon fetches events. @throws {CommandError} if the machine is not configured */
export function removeRelaySource(text: string, file: string, host: string): string {
  const { relay } = (valueIn(text, file) ?? {}) as { relay?: { from?: RelaySource[] } };
  const from = relay?.from ?? [];
  const readName = (item: RelaySource): string => (isObject(item) ? sourceName(item) : "");
  const places = from.flatMap((item, index) => (readName(item) === host ? [["relay", "from", index]] : [])).reverse();
  if (places.length === 0) {
    const names = from.map(readName);
    throw new CommandError(`${file} does not fetch from a machine ${host}`, didYouMean(host, names));
  }
  const left = places.reduce((rest, place) => unsetValue(rest, file, place), text);
  return withoutEmpty(withoutEmpty(left, file, ["relay", "from"]), file, ["relay"]);
}

/** Removes a list or an object from a configuration if it is empty. */
export function withoutEmpty(text: string, file: string, path: readonly string[]): string {
  const node = findNodeAtLocation(parseText(text, file), [...path]);
  return node?.children?.length === 0 ? unsetValue(text, file, path) : text;
}

/** Conditions of a route, in the configuration's form. An absent condition matches all events. */
export type RouteConditions = { readonly [Name in keyof Omit<RouteInput, "to">]: Readonly<RouteInput[Name]> };

type RouteInput = z.input<ReturnType<typeof routeSchema>>;

/**
 * Adds a notifier. Keeps comments and layout. If there are no `notifiers` yet, also writes the default notifiers,
 * because they would otherwise no longer apply. With `isAlone`, does not write them.
 * @throws {CommandError} if the text cannot be parsed, or `notifiers` or `routes` has the wrong type
 */
export function addNotifier(
  text: string,
  file: string,
  { name, entry, route: conditions, isAlone = false }: NewNotifier,
): string {
  const { notifiers, routes } = (valueIn(text, file) ?? {}) as { notifiers?: object; routes?: unknown[] };
  const known = notifiers ?? (isAlone ? {} : defaultNotifiers);
  const withNotifier = notifiers
    ? add(text, file, ["notifiers"], [name, entry])
    : add(text, file, [], ["notifiers", { ...known, [name]: entry }]);
  const others = { kinds: [...defaultKinds], to: Object.keys(known) };
  if (conditions === "none")
    return routes ? withNotifier : add(withNotifier, file, [], ["routes", others.to.length > 0 ? [others] : []]);
  if (!conditions && !routes) return withNotifier; // without routes, it gets the usual kinds
  const route = structuredClone({ ...(conditions ?? { kinds: defaultKinds }), to: [name] });
  if (routes) return add(withNotifier, file, ["routes"], ["", route]);
  if (others.to.length === 0) return withNotifier;
  return add(withNotifier, file, [], ["routes", [others, route]]);
}

/**
 * Removes a notifier, its name in routes, and the routes that lead to no other notifier.
 * @throws {CommandError} if there is no such notifier, or it cannot be removed without other changes
 */
export function removeNotifier(text: string, file: string, name: string): string {
  const before = valueIn(text, file) as { notifiers?: Route; routes?: readonly Route[] };
  if (!before.notifiers && Object.hasOwn(defaultNotifiers, name))
    return removeNotifier(add(text, file, [], ["notifiers", defaultNotifiers]), file, name);
  const { notifiers = {}, routes = [] } = before;
  if (!Object.hasOwn(notifiers, name)) throw unknownNotifier(name, notifiers, file);
  const listNames = ({ to }: Route): readonly unknown[] => (Array.isArray(to) ? to : []);
  let result = unsetValue(text, file, ["notifiers", name]);
  for (const [index, route] of [...routes.entries()].reverse()) {
    const names = listNames(route);
    if (!names.includes(name)) continue;
    const places = names.flatMap((item, at) => (item === name ? [["routes", index, "to", at]] : [])).reverse();
    const isOnly = places.length === names.length;
    for (const place of isOnly ? [["routes", index]] : places) result = unsetValue(result, file, place);
  }
  const { [name]: _, ...others } = notifiers;
  const kept = routes.flatMap((route) => {
    const names = listNames(route);
    if (!names.includes(name)) return [route];
    const to = names.filter((item) => item !== name);
    return to.length > 0 ? [{ ...route, to }] : [];
  });
  const expected = { ...before, notifiers: others, ...(before.routes && { routes: kept }) };
  if (isDeepStrictEqual(structuredClone(valueIn(result, file)), expected)) return result;
  throw new CommandError(
    `${file}: ${name} cannot be removed without changing something else`,
    "Remove it in an editor.",
  );
}

/**
 * Sets a notifier's setting. If there are no `notifiers` yet, writes the default notifiers, which would otherwise no
 * longer apply.
 * @throws {CommandError} if there is no such notifier, or something else would change
 */
export function setNotifierSetting(
  text: string,
  file: string,
  name: string,
  { key, value }: { readonly key: string; readonly value: Written<string> },
): string {
  const { notifiers = defaultNotifiers } = valueIn(text, file) as { notifiers?: object };
  if (Object.hasOwn(notifiers, name)) return setValue(text, file, ["notifiers", name, key], value);
  throw new CommandError(`${file} has no notifier ${name}`, "To add it: beckon config add");
}

type SettingPath = readonly (string | number)[];

/**
 * Sets the value at a path, and adds the objects on the way. Keeps comments and layout. A change of a default notifier
 * first writes all of them.
 * @throws {CommandError} if the text cannot be parsed, or there is no place for the value
 */
export function setValue(text: string, file: string, path: SettingPath, value: unknown): string {
  const root = parseText(text, file);
  if (path.length > 1 && path[0] === "notifiers" && !findNodeAtLocation(root, ["notifiers"]))
    return setValue(add(text, file, [], ["notifiers", defaultNotifiers]), file, path, value);
  const node = findNodeAtLocation(root, [...path]);
  if (node) return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(node.offset + node.length);
  const [parent, name] = [path.slice(0, -1), path.at(-1)];
  if (typeof name !== "string")
    throw new CommandError(
      `${file} has no item ${path.join(".")}`,
      `Give all items: beckon config set ${holderName(parent)} '[…]'`,
    );
  const isThere = parent.length === 0 || findNodeAtLocation(root, [...parent]);
  if (!isThere && parent.length === 2 && parent[0] === "notifiers" && name !== "type")
    throw unknownNotifier(`${parent[1]}`, (valueIn(text, file) as { notifiers: Route }).notifiers, file);
  return isThere ? add(text, file, parent, [name, value]) : setValue(text, file, parent, { [name]: value });
}

type Route = Readonly<Record<string, unknown>>;

/** Removes the value at a path. Keeps comments and layout. @throws {CommandError} if there is none */
export function unsetValue(text: string, file: string, path: SettingPath): string {
  const root = parseText(text, file);
  const found = findNodeAtLocation(root, [...path]);
  // `findNodeAtLocation` returns the value's node. The member is the parent of that node.
  const child = found?.parent?.type === "property" ? found.parent : found;
  if (!child?.parent)
    throw new CommandError(`${file} has no ${path.join(".")}`, "For all settings: beckon config show");
  return removeChild(text, child.parent, child);
}

function unknownNotifier(name: string, known: object, file: string): CommandError {
  return new CommandError(`${file} has no notifier ${name}`, didYouMean(name, Object.keys(known)));
}

/** Adds a member to an object or, with an empty name, an item to an array. Verifies that nothing else changes. */
function add(text: string, file: string, path: SettingPath, [name, value]: readonly [string, unknown]): string {
  const root = parseText(text, file);
  const parent = path.length === 0 ? root : findNodeAtLocation(root, [...path]);
  const type = name === "" ? "array" : "object";
  if (parent?.type !== type) {
    const first = `Its items are counted from 0: ${holderName(path)}.0 is the first.`;
    const hint = parent?.type === "array" ? first : "For details: beckon config check";
    throw new CommandError(`${file}: ${holderName(path)} is not an ${type}`, hint);
  }
  const layout = { ...detectLayout(text, root), oneLine: false, flatArrayChars: 100 };
  const added = addChild(text, parent, name === "" ? { value } : { name, value }, layout);
  const expected = valueIn(text, file);
  const holder = path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], expected);
  if (Array.isArray(holder)) holder.push(value);
  else (holder as Record<string, unknown>)[name] = value;
  if (isDeepStrictEqual(valueIn(added, file), expected)) return added;
  throw new CommandError(
    `${file}: ${name || holderName(path)} cannot be added without changing something else`,
    "Add it in an editor.",
  );
}

function holderName(path: SettingPath): string {
  return path.join(".") || "the file";
}

function valueIn(text: string, file: string): unknown {
  return structuredClone(getNodeValue(parseText(text, file))); // `getNodeValue` makes objects without a prototype
}

/** Parses a configuration into a syntax tree. @throws {CommandError} if it cannot be parsed, or is not an object */
export function parseText(text: string, file: string): Node {
  const { tree, finding } = readJsonc(text);
  if (finding === undefined && tree?.type === "object") return tree;
  const position = [file, finding?.line, finding?.column].filter((part) => part !== undefined).join(":");
  const problem = finding?.message ?? "not an object";
  throw new CommandError(`${position}: ${problem}`, "Correct it in an editor, then try again.");
}
