import * as z from "zod";
import { webhookBodySchema } from "../notifiers/shared/webhook-body-schema.ts";
import { code, table } from "./markdown.ts";

/** The JSON schema of `docs/webhook-body.schema.json`. Further fields are allowed: later versions may add some. */
export function webhookBodyJsonSchema(): object {
  const title = "An event, as the notifiers webhook, command and file hand it on";
  return { title, ...z.toJSONSchema(webhookBodySchema, { io: "input" }) };
}

/** Its fields as a table, those of objects by their path: `data.session.title`. */
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
