import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, vi } from "vitest";

// Runs before each test file. Files that share a process all start from the state that the first one found.

const found = globalThis as { atStart?: { readonly env: NodeJS.ProcessEnv; readonly title: string } };
found.atStart ??= { env: { ...process.env }, title: process.title };
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, found.atStart.env);
process.title = found.atStart.title;

/**
 * Seed of the generated examples, the same in every run. `npm run fuzz` tries other seeds and says how to repeat a
 * failure.
 */
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_122);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

/**
 * Names of variables that would reveal this machine's user to a test: other homes, a desktop, an audio server, beckon's
 * own switches.
 */
const personal =
  /^(BECKON_|XDG_|PULSE_|PIPEWIRE_)|_HOME(_OVERRIDE)?$|_CONFIG_DIR$|^(DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|NO_COLOR|FORCE_COLOR|NODE_EXTRA_CA_CERTS|DEBUG)$/;
for (const name of Object.keys(process.env).filter((name) => personal.test(name))) delete process.env[name];

/**
 * A zone unlike UTC, with daylight-saving time and half hours, so that mixing up local time and UTC fails on CI, too.
 */
process.env["TZ"] = "America/St_Johns";

const home = mkdtempSync(join(realpathSync(tmpdir()), "beckon-home-"));
process.env["HOME"] = home;
afterAll(() => rmSync(home, { recursive: true, force: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
