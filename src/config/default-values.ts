import { configTable, type SectionValues } from "./config-table.ts";
import { type SectionName, sectionSchemas } from "./sections.ts";

/** What holds of the settings that are read by their schema alone where the file has none of them. */
export const defaultValues = Object.fromEntries(
  Object.keys(sectionSchemas).map((name) => [name, configTable[name as SectionName].parse(undefined)]),
) as SectionValues;
