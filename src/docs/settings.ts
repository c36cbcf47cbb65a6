import * as z from "zod";
import { isSecret } from "../core/secret.ts";
import { code } from "./markdown.ts";

/** One setting of a schema. */
export interface Setting {
  readonly name: string;
  readonly description: string;
  /** Remarks such as `required`, `secret` or `default …`. */
  readonly remarks: readonly string[];
}

/** Lists the settings in an object's schema. */
export function settingsIn(schema: z.ZodObject): Setting[] {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.entries(json.properties ?? {}).map(([name, property]) => {
    const { description = "" } = property as { description?: string };
    const setting = schema.shape[name] as z.ZodType;
    // Parsed, because the JSON schema shows an object's default as `{}`; then encoded as in the file.
    const parsed = setting.safeParse(undefined).data;
    const byDefault = parsed === undefined ? undefined : JSON.stringify(z.encode(setting, parsed));
    const remarks = [
      json.required?.includes(name) ? "required" : "",
      isSecret(setting) ? "secret" : "",
      byDefault !== undefined && byDefault !== "false" ? `default ${code(byDefault)}` : "",
    ];
    return { name, description, remarks: remarks.filter((remark) => remark !== "") };
  });
}

/** Formats a setting as a list item: name, remarks, description. */
export function settingLine({ name, description, remarks }: Setting): string {
  const inBrackets = remarks.length > 0 ? ` (${remarks.join(", ")})` : "";
  return `- ${code(name)}${inBrackets}: ${description}`;
}

/** Formats all settings of a schema as a list. */
export function settingsList(schema: z.ZodObject): string {
  return settingsIn(schema).map(settingLine).join("\n");
}
