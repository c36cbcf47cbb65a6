import { isAbsolute } from "node:path";
import * as z from "zod";

const absolutePath = z.string().refine(isAbsolute, "must be an absolute path");

/** Makes a setting for the absolute path of a program to run instead of the one that beckon finds. */
export function ownProgram(description: string) {
  return absolutePath.optional().describe(description);
}

/** Makes a setting for the absolute path of a PEM file with the authorities that may issue a server's certificate. */
export function certificateFile() {
  return absolutePath
    .optional()
    .describe(
      "PEM file of certificates to trust instead of the system's, for a server with a private certificate authority.",
    );
}
