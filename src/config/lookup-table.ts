import * as z from "zod";
import { lookupLoaders } from "../lookups/registry.ts";

/** Names of lookups. */
export const lookupsSchema = z.array(z.enum(Object.keys(lookupLoaders))).optional();
