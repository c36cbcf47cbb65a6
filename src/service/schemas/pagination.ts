import * as z from "zod";
import { openObject } from "./open.ts";

/** `pagination` of every `/api/v0` list. How `nextCursor` looks on the last page is not shown: it may be absent. */
export const paginationSchema = openObject({ hasMore: z.boolean(), nextCursor: z.string().nullish() });
export type Pagination = z.output<typeof paginationSchema>;
