import { isAbsolute } from "node:path";
import * as z from "zod";

const absolutePath = z.string().refine(isAbsolute, "must be an absolute path");

/** A setting for a program of the user's, by absolute path, in place of those that beckon looks for itself. */
export function ownProgram(description: string) {
  return absolutePath.optional().describe(description);
}

/** A setting for a file of certificates (PEM) that a server's must lead back to, by absolute path. */
export function certificateFile() {
  return absolutePath
    .optional()
    .describe(
      "A file of certificates (PEM) to trust instead of the system's, for a server with an authority of its own.",
    );
}
