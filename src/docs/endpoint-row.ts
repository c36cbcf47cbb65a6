import * as z from "zod";
import { earliestDay } from "../service/arguments.ts";
import type { endpoints } from "../service/endpoints.ts";
import { code } from "./markdown.ts";

export const endpointHead = ["Call", "Request", "Limits", "Pages", "Roles"];

/** A row of the endpoints' table. */
export function endpointRow(endpoint: (typeof endpoints)[number]): string[] {
  const { name, method, base, path, status, query, body, daily, roles } = endpoint;
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part ?? "");
  const given = z.toJSONSchema(z.object({ ...query?.shape, ...body?.shape }), { io: "input", unrepresentable: "any" });
  const optional = (field: string) => (given.required?.includes(field) ? field : `${field}?`);
  const fields = Object.keys(given.properties ?? {})
    .map(optional)
    .join(", ");
  const limits = Object.entries(given.properties ?? {}).flatMap(([field, schema]) => limitOf(field, schema));
  const cursor = "paging" in endpoint ? endpoint.paging?.parameter : undefined;
  return [
    code(`${name}(${[...parts, fields && `{ ${fields} }`].filter(Boolean).join(", ")})`),
    `${code(`${method} {${base}}${path}`)}${status === 200 ? "" : `, answers ${status}`}`,
    [...(daily ? [`days from ${earliestDay} to yesterday, UTC`] : []), ...limits].join("; "),
    cursor === undefined ? "" : `by ${code(cursor)}`,
    roles?.join(", ") ?? "not shown",
  ];
}

/** What a parameter or field can be, as far as its schema says so. */
function limitOf(field: string, schema: unknown): string[] {
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    format,
    const: only,
    enum: values,
  } = schema as z.core.JSONSchema.Schema;
  const listed = values ?? (only === undefined ? [] : [only]);
  if (listed.length > 0) return [`${code(field)} ${listed.map((value) => code(String(value))).join(", ")}`];
  if (minimum === 1) return [`${code(field)} ${(maximum ?? 0) < 1000 ? `1 to ${maximum}` : "1 or more"}`];
  if (maxLength !== undefined) return [`${code(field)} ${minLength} to ${maxLength} characters`];
  return format === "uuid" ? [`${code(field)} a UUID`] : [];
}
