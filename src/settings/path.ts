import type { Node } from "jsonc-parser";
import { SettingsError } from "../core/errors.ts";

/** A place in a JSON value: member names and array indexes from the root down. */
export type JsonPath = readonly (string | number)[];

/** `hooks.Stop[0].hooks`; `the file` for the root. */
export function showPath(path: JsonPath): string {
  if (path.length === 0) return "the file";
  return path.reduce<string>((shown, part) => {
    if (typeof part === "number") return `${shown}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${shown}[${JSON.stringify(part)}]`;
    return shown === "" ? part : `${shown}.${part}`;
  }, "");
}

/** A refusal that names the exact place. */
export function wrongShape(file: string, path: JsonPath, problem: string): SettingsError {
  return new SettingsError("settings.shape", file, `${file}: \`${showPath(path)}\` ${problem}`, {
    hint: "Correct it by hand, then run this again. Nothing was changed.",
  });
}

/** Names and values of an object node, in order. */
export function membersOf(node: Node): { name: string; value: Node; property: Node }[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key && value ? [{ name: String(key.value), value, property }] : [];
  });
}

/**
 * The value of an object node's member, or undefined.
 * @throws {SettingsError} for a name that is there twice: agents read the last one, editors edit the first
 */
export function memberOf(file: string, node: Node, name: string, path: JsonPath): Node | undefined {
  const found = membersOf(node).filter((member) => member.name === name);
  if (found.length > 1) throw wrongShape(file, [...path, name], `is there ${found.length} times`);
  return found[0]?.value;
}
