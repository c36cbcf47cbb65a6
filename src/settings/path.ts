import type { Node } from "jsonc-parser";
import { SettingsError } from "../core/errors.ts";
import { lineAndColumn, type SettingsDocument } from "../installer/editors/json/document.ts";

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

/** A refusal that names the exact place, by its path and by where its node stands. */
export function wrongShape(
  { file, text }: Pick<SettingsDocument, "file" | "text">,
  path: JsonPath,
  { offset }: Node,
  problem: string,
): SettingsError {
  const { line, column } = lineAndColumn(text, offset);
  const place = `\`${showPath(path)}\` at line ${line}, column ${column}`;
  return new SettingsError("settings.shape", file, `${file}: ${place} ${problem}`, {
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
export function memberOf(
  document: Pick<SettingsDocument, "file" | "text">,
  node: Node,
  name: string,
  path: JsonPath,
): Node | undefined {
  const found = membersOf(node).filter((member) => member.name === name);
  const [first, second] = found;
  if (second) throw wrongShape(document, [...path, name], second.property, `is there ${found.length} times`);
  return first?.value;
}
