import * as z from "zod";
import { openObject } from "./open.ts";

/** What an analytics reply covers. Dates are `YYYY-MM-DD`, UTC. */
export const analyticsMetaSchema = openObject({ org_id: z.string(), start_date: z.string(), end_date: z.string() });
export type AnalyticsMeta = z.output<typeof analyticsMetaSchema>;

/** `meta` of `/users`: `next_cursor` is a user id; how it looks on the last page is not shown. */
export const pagedAnalyticsMetaSchema = analyticsMetaSchema.extend({
  has_more: z.boolean(),
  next_cursor: z.string().nullish(),
});
export type PagedAnalyticsMeta = z.output<typeof pagedAnalyticsMetaSchema>;

/** The envelope of every analytics reply: one row per day, or per group and day. */
export function envelopeOf<Row extends z.ZodType>(row: Row) {
  return openObject({ data: z.array(row), meta: analyticsMetaSchema });
}
