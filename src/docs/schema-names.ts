import * as z from "zod";
import * as service from "../service.ts";

/** Names of the schemas that `beckon/service` exports, as in `CreditsRow` for `creditsRowSchema`. */
export const schemaNames = z.registry<{ readonly id: string }>();

for (const [name, schema] of Object.entries(service)) {
  const [, base = ""] = /^(\w+)Schema$/.exec(name) ?? [];
  if (!(schema instanceof z.ZodType)) continue;
  schemaNames.add(schema, { ...z.globalRegistry.get(schema), id: `${base[0]?.toUpperCase()}${base.slice(1)}` });
}
