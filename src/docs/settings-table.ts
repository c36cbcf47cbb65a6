import * as z from "zod";
import { isSecret } from "../core/secret.ts";
import { code, table } from "./markdown.ts";

/** A table of an object's settings: name, meaning, default. Empty for an object without any. */
export function settingsTable(schema: z.ZodObject): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const required = new Set(json.required ?? []);
  const rows = Object.entries(json.properties ?? {}).map(([key, property]) => {
    const { description = "" } = property as { description?: string };
    const setting = schema.shape[key] as z.ZodType;
    const secrecy = isSecret(setting) ? "secret" : "";
    // As it is parsed, since the JSON schema shows an object's own default as `{}`; then back into the form of the
    // file.
    const parsed = setting.safeParse(undefined).data;
    const byDefault = parsed === undefined ? undefined : z.encode(setting, parsed);
    const remark = required.has(key) ? "required" : byDefault === undefined ? "" : code(JSON.stringify(byDefault));
    return [code(key), description, [remark, secrecy].filter(Boolean).join(", ")];
  });
  return rows.length === 0 ? "" : table(["Setting", "Meaning", "Default"], rows);
}
