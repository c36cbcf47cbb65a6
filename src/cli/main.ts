#!/usr/bin/env node
import packageFile from "../../package.json" with { type: "json" };

const inherited = { env: { ...process.env }, umask: process.umask(0o077) };
// These make libraries print debugging output to stdout.
for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];
// An agent's environment must not disable certificate checks.
delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];

const { env, stdout } = process;
const [, program = "", ...args] = process.argv;
/** Commands that only show something. */
const readers = new Set(["doctor", "help", "log", "service", "sessions", "status", "today", "try", "why"]);
let isClosed = false;
stdout.on("error", ({ code = "unknown error" }: NodeJS.ErrnoException) => {
  // In `beckon log | head`, the reader closes the pipe, which is fine. `beckon install | head -1` still has work to do.
  if (code === "EPIPE" && readers.has(args[0] ?? "")) process.exit(0);
  isClosed = code === "EPIPE";
  if (isClosed) return;
  process.stderr.write(`beckon: cannot write to standard output (${code})\n`);
  process.exit(1);
});

// Most of the time of a short command is loading code, so the version is printed without any.
const isVersion = args.length === 1 && ["--version", "-V", "version"].includes(args[0] ?? "");
// Replies have many rows. V8 then lets the heap grow by a fifth, not by a multiple, before it collects.
if (args[0] === "service") (await import("node:v8")).setFlagsFromString("--heap-growing-percent=20");
let exitCode = 0;
if (isVersion && env["HOME"]?.startsWith("/")) stdout.write(`${packageFile.version}\n`);
else exitCode = await (await import("./run-process.ts")).runProcess(args, program, inherited);
// A notifier that timed out may keep the process alive, so exit once the output is written. If writing fails, the
// stream's `error` event follows and ends the process.
stdout.write(
  "",
  (error) => void (error ? setImmediate(() => process.exit(isClosed ? exitCode : 1)) : process.exit(exitCode)),
);
