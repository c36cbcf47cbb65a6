import * as z from "zod";
import { languages } from "./catalogues.ts";
import type { SectionValues } from "./config-table.ts";

/** Setting that is read with its schema alone. */
export type SectionName = keyof SectionValues;

/** Schemas of the settings that are read with their schema alone, each loaded only if the file has the setting. */
export const sectionSchemas: { readonly [Name in SectionName]: () => Promise<z.ZodType> } = {
  $schema: async () => z.string(),
  templates: async () => (await import("./templates-table.ts")).templatesSchema,
  language: async () => z.enum(languages),
  attention: async () => (await import("./attention-table.ts")).attentionSchema,
  delivery: async () => (await import("./delivery-table.ts")).deliverySchema,
  answers: async () => (await import("./answers-table.ts")).answersSchema,
  relay: async () => (await import("./relay-table.ts")).relaySchema,
};

/** Defaults of these settings, as their schemas would give them. Most files need no schema then. */
export const defaultValues: SectionValues = {
  $schema: undefined,
  templates: {},
  language: "en",
  attention: {
    wait: 2_000,
    watching: { finished: "skip", "needs-you": 30_000, failed: "ring" },
    judgeLate: true,
    minTurn: 0,
    away: 180_000,
    quiet: [],
    dnd: "respect",
    withdraw: true,
  },
  delivery: {
    retryDelays: [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000],
    expire: { "needs-you": 900_000, failed: 86_400_000, finished: 21_600_000, info: 3_600_000 },
    linger: 5_000,
  },
  answers: undefined,
  relay: undefined,
};

/**
 * Settings that are ignored as a whole after any finding, because without the faulty member they might allow more than
 * intended.
 */
export const indivisibleSections: readonly SectionName[] = ["answers"];

/** Lists in which invalid items are left out one by one, with the schemas of their items. */
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
  { section: "relay", list: "from", load: async () => (await import("./relay-table.ts")).chooseRelaySourceSchema },
];
