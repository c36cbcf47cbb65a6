/**
 * Entry point that a plugin's launcher starts if beckon is not installed. Copies the plugin's program to `~/.beckon`,
 * as `beckon install` does, then runs the worker for the waiting event.
 */
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { homeDirectory, resolvePaths } from "./files/paths.ts";
import { untrustedRoot } from "./files/root-access.ts";
import { setUpApp } from "./installer/app/set-up-app.ts";

process.umask(0o077);
const paths = resolvePaths();
if (untrustedRoot(paths)) process.exit(0); // like the worker
const { env, platform, execPath } = process;
const environment = { home: homeDirectory(), project: env["BECKON_PROJECT"] ?? paths.root, env, platform };
const packageRoot = dirname(dirname(fileURLToPath(import.meta.url)));
await setUpApp({ packageRoot, paths, environment, execPath });
await import(pathToFileURL(paths.worker).href);
