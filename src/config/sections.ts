import * as z from "zod";
import { languages } from "./catalogues.ts";
import type { SectionValues } from "./config-table.ts";

/** A setting that is read by its schema alone. */
export type SectionName = keyof SectionValues;

/** The schemas of these settings, each loaded where the file has its setting. */
export const sectionSchemas: { readonly [Name in SectionName]: () => Promise<z.ZodType> } = {
  $schema: async () => z.string(),
  templates: async () => (await import("./templates-table.ts")).templatesSchema,
  language: async () => z.enum(languages),
  attention: async () => (await import("./attention-table.ts")).attentionSchema,
  delivery: async () => (await import("./delivery-table.ts")).deliverySchema,
  relay: async () => (await import("./relay-table.ts")).relaySchema,
};

/** Lists of which a wrong item is left out alone, and the schema that an item is meant for. */
export const itemSchemas: readonly {
  readonly section: SectionName;
  readonly list: string;
  readonly load: () => Promise<(item: unknown) => z.ZodType>;
}[] = [
  {
    section: "attention",
    list: "quiet",
    load: async () => {
      const { quietSchema } = await import("./attention-table.ts");
      return () => quietSchema;
    },
  },
  { section: "relay", list: "from", load: async () => (await import("./relay-table.ts")).relaySourceSchemaOf },
];
