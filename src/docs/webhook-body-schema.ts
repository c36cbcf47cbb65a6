import * as z from "zod";
import { webhookBodySchema } from "../notifiers/shared/webhook-body-schema.ts";
import { code } from "./markdown.ts";

/**
 * Builds the JSON schema `docs/webhook-body.schema.json`. The schema allows further fields, because later versions may
 * add some.
 */
export function webhookBodyJsonSchema(): object {
  const title = "An event, as the notifiers webhook, command and file hand it on";
  return { title, ...z.toJSONSchema(webhookBodySchema, { io: "input" }) };
}

/**
 * Lists the fields of the webhook body, optional ones with a question mark. Of the fields inside an object, lists only
 * the names.
 */
export function webhookBodyList(): string {
  const { data, ...outer } = webhookBodySchema.shape;
  return [
    ...Object.entries(outer),
    ...Object.entries(data.shape).map(([key, field]) => [`data.${key}`, field] as const),
  ]
    .map(([key, field]) => {
      const mark = field instanceof z.ZodExactOptional ? "?" : "";
      const names = field instanceof z.ZodObject ? `: ${Object.keys(field.shape).map(code).join(", ")}` : ".";
      return `- ${code(`${key}${mark}`)}: ${field.description?.replace(/\.$/, "")}${names}`;
    })
    .join("\n");
}
