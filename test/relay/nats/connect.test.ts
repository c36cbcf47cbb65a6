import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../world/home.ts";

/** Runs a program in a separate process that has loaded the NATS connection code. */
function runBesideClient(program: string) {
  const connect = JSON.stringify(join(repository, "src", "relay", "nats", "connect.ts"));
  const whole = `import { connect, createServer } from "node:net";\nimport ${connect};\n${program}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", whole];
  return spawnSync(process.execPath, args, { cwd: repository, encoding: "utf8", timeout: 20_000 });
}

/** Program that brings about the state in which the client library leaves its socket for a moment. */
const nobodyListens = `
const server = createServer((socket) => socket.resetAndDestroy()).listen(0, "127.0.0.1", () => {
  connect(server.address().port, "127.0.0.1").on("close", () => { console.log("goes on"); server.close(); });
});`;

test("a connection that breaks between listeners of the client library does not end the process", () => {
  expect(runBesideClient(nobodyListens)).toMatchObject({ status: 0, stdout: "goes on\n" });
});

test("any other uncaught error ends the process and is reported", () => {
  const { status, stdout, stderr } = runBesideClient(`
setImmediate(() => {
  setImmediate(() => console.log("goes on"));
  throw new TypeError("a fault of ours");
});`);
  expect([status === 0, stdout]).toEqual([false, ""]);
  expect(stderr).toContain("a fault of ours");
});
