import { type BuildOptions, build, type Metafile } from "esbuild";
import { repository } from "../world/home.ts";

export interface Bundle {
  readonly code: string;
  readonly sizeBytes: number;
  readonly inputs: Metafile["inputs"];
}

/**
 * Bundles a program for a browser. Fails for a program that needs a module of Node. In the program, `beckon/…` means
 * the published package.
 */
export async function bundleProgram(program: string, options: BuildOptions = {}): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: repository },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    logLevel: "silent",
    ...options,
    metafile: true,
    write: false,
  });
  const code = outputFiles[0]?.text ?? "";
  return { code, sizeBytes: Buffer.byteLength(code), inputs: metafile.inputs };
}

/** A program that puts results of the client for `fetch` into `result`. `given` has a fake's address and keys. */
export const walkProgram = `
  import { PermissionError, ServiceClient } from "beckon/service/fetch";
  globalThis.walk = async ({ baseUrl, apiKey, memberKey, days, ...options }) => {
    const client = new ServiceClient({ baseUrl, appUrl: baseUrl, apiKey, ...options });
    const users = await client.users.list().all();
    const rows = [];
    for await (const row of client.analytics.users(days)) rows.push(row);
    const reports = await client.readiness.reports().all();
    const { name } = await client.computers.update("computer_1", { name: "from a browser" });
    const member = new ServiceClient({ baseUrl, apiKey: memberKey, ...options });
    const refused = await member.analytics.activity(days).page().catch((error) => error);
    const isPermissionError = refused instanceof PermissionError;
    return JSON.stringify({ users: users.length, rows: rows.length, reports: reports.length, name, isPermissionError });
  };
`;
