import * as z from "zod";
import type { Endpoint, ListEndpoint } from "../../service/endpoint.ts";
import { activityByClient, tokensByModel, toolsByTool } from "../../service/resources/analytics-endpoints.ts";
import type { Path } from "../commands/service/output/csv.ts";

/** Operations whose rows are others once they are grouped. */
const grouped: readonly ListEndpoint[] = [tokensByModel, toolsByTool, activityByClient];

/**
 * The columns of an operation's rows, as the document has them, whatever a reply holds. An object of plain values becomes
 * a column for each; anything deeper stays one column.
 */
export function csvColumns(endpoint: Endpoint, isGrouped: boolean): Path[] {
  const { reply } = (isGrouped && grouped.find(({ name }) => name === endpoint.name)) || endpoint;
  const { shape } = rowSchema(reply, endpoint);
  return Object.entries(shape).flatMap(([name, schema]): Path[] => {
    const inner = bare(schema as z.ZodType);
    if (!(inner instanceof z.ZodObject) || !Object.values(inner.shape).every(isPlain)) return [[name]];
    return Object.keys(inner.shape).map((key) => [name, key] as const);
  });
}

function rowSchema(reply: z.ZodType, endpoint: Endpoint): z.ZodObject {
  if (!("items" in endpoint)) return reply as z.ZodObject;
  const list = (reply as z.ZodObject).shape[String(endpoint.items)] as z.ZodArray;
  return list.element as z.ZodObject;
}

function isPlain(schema: unknown): boolean {
  const inner = bare(schema as z.ZodType);
  return ![z.ZodObject, z.ZodArray, z.ZodRecord, z.ZodUnknown].some((kind) => inner instanceof kind);
}

function bare(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? bare(schema.unwrap() as z.ZodType) : schema;
}
