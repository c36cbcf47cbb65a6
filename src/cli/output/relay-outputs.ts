import * as z from "zod";

/** Line that `relay join --json` prints for a machine, read by the machine that added it. */
export const joinedLine = z.object({
  notifier: z.string(),
  /** Absent in the output of older versions. */
  others: z.array(z.string()).optional(),
  sample: z.string(),
});
export type Joined = z.output<typeof joinedLine>;
