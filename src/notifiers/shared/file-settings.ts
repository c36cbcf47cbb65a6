import { isAbsolute } from "node:path";
import * as z from "zod";

const absolutePath = z.string().refine(isAbsolute, "must be an absolute path");

/** Makes a setting for the absolute path of a program to use instead of the one beckon finds. */
export function ownProgram(description: string) {
  return absolutePath.optional().describe(description);
}

/** Makes a setting for the absolute path of a PEM file of authorities that a server's certificate must chain to. */
export function certificateFile() {
  return absolutePath
    .optional()
    .describe("PEM file of certificates to trust instead of the system's, for a server with its own authority.");
}
