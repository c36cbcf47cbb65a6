import { readFile } from "node:fs/promises";
import { DeliveryError, errnoOf } from "../core/errors.ts";

/**
 * Options of a TLS connection that checks the server's certificate, also where NODE_TLS_REJECT_UNAUTHORIZED=0 in the
 * agent's environment says otherwise.
 * @param ca absolute path of a PEM file of certificates to trust instead of the system's
 * @throws {DeliveryError} `rejected` where the file cannot be read
 */
export async function tlsOptions(ca: string | undefined): Promise<{ rejectUnauthorized: true; ca?: string }> {
  return ca === undefined ? { rejectUnauthorized: true } : { rejectUnauthorized: true, ca: await readPem(ca) };
}

async function readPem(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: unknown) => {
    const code = errnoOf(error) ?? "unknown";
    throw new DeliveryError("rejected", `the certificate file ${file} cannot be read (${code})`, {
      hint: "Check `ca`.",
    });
  });
}
