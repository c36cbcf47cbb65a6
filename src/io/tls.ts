import { DeliveryError, readErrno } from "../core/errors.ts";

/**
 * Returns TLS options that check the server's certificate, even if the agent's environment has
 * NODE_TLS_REJECT_UNAUTHORIZED=0.
 * @param ca absolute path of a PEM file; its certificates are trusted instead of the system's
 * @throws {DeliveryError} `rejected` if the file cannot be read
 */
export async function tlsOptions(ca: string | undefined): Promise<{ rejectUnauthorized: true; ca?: string }> {
  return ca === undefined ? { rejectUnauthorized: true } : { rejectUnauthorized: true, ca: await readPem(ca) };
}

async function readPem(file: string): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return await readFile(file, "utf8").catch((error: unknown) => {
    const code = readErrno(error) ?? "unknown";
    throw new DeliveryError("rejected", `the certificate file ${file} cannot be read (${code})`, {
      hint: "Check `ca`.",
    });
  });
}
