import * as z from "zod";
import { openObject } from "./open.ts";

/**
 * `pagination` of every `/api/v0` list. `nextCursor` may be absent or null, because the API document does not show the
 * last page.
 */
export const paginationSchema = openObject({ hasMore: z.boolean(), nextCursor: z.string().nullish() });
export type Pagination = z.output<typeof paginationSchema>;
