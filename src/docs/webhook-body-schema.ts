import * as z from "zod";
import { webhookBodySchema } from "../notifiers/shared/webhook-body-schema.ts";
import { code } from "./markdown.ts";

/** Builds `docs/webhook-body.schema.json`. Allows additional fields for later versions. */
export function webhookBodyJsonSchema(): object {
  const title = "An event, as the notifiers webhook, command and file hand it on";
  return { title, ...z.toJSONSchema(webhookBodySchema, { io: "input" }) };
}

/** Builds a table of its fields, with paths for those of objects: `data.session.title`. */
export function webhookBodyTable(): string {
  return table(["Field", "Meaning", ""], fieldsOf(webhookBodySchema, ""));
}

function fieldsOf(schema: z.ZodObject, path: string): string[][] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const isOptional = field instanceof z.ZodExactOptional;
    const inner: unknown = isOptional ? field.unwrap() : field;
    const name = `${path}${key}`;
    const nested = inner instanceof z.ZodObject ? fieldsOf(inner, `${name}.`) : [];
    const row = [code(name), (field as z.ZodType).description ?? "", isOptional ? "optional" : ""];
    return [...(row[1] === "" ? [] : [row]), ...nested];
  });
}
