import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createHost } from "../../src/io/host.ts";

const folder = mkdtempSync(join(tmpdir(), "beckon-host-"));
afterAll(() => rmSync(folder, { recursive: true }));
const name = "devbox.example.org";

test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
  ["at the machine itself", { TERM: "xterm", DISPLAY: ":0" }, undefined],
  ["with an empty variable", { SSH_CONNECTION: "" }, undefined],
  ["over SSH", { SSH_CONNECTION: "192.0.2.1 50000 192.0.2.2 22" }, "devbox"],
  ["in a container of Podman or systemd", { container: "podman" }, "devbox"],
  ["in a pod", { KUBERNETES_SERVICE_HOST: "10.0.0.1" }, "devbox"],
])("%s the host has this name", (_, env, expected) => {
  expect(createHost({ env, name, marks: [] }).elsewhere()).toBe(expected);
});

test("in a container of Docker its file tells", () => {
  const mark = join(folder, ".dockerenv");
  const host = createHost({ env: {}, name, marks: [mark] });
  expect(host.elsewhere()).toBeUndefined();
  writeFileSync(mark, "");
  expect(host.elsewhere()).toBe("devbox");
});

test("a name of control characters is none", () => {
  expect(createHost({ env: { SSH_TTY: "/dev/pts/1" }, name: "\u001b\u0007", marks: [] }).elsewhere()).toBeUndefined();
});
