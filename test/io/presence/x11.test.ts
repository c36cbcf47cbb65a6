import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { numbers, withServer } from "../../../src/io/presence/x11.ts";

describe("x11 connection", () => {
  const display = `:${7_000 + (process.pid % 1_000)}`;
  const folder = "/tmp/.X11-unix";
  const path = `${folder}/X${display.slice(1)}`;
  const welcome = Buffer.alloc(44);
  welcome[0] = 1;
  welcome.writeUInt16LE(9, 6);
  welcome.writeUInt32LE(1, 40);

  let server: Server;
  let answer: (serial: number) => Buffer;
  beforeEach(async () => {
    mkdirSync(folder, { recursive: true, mode: 0o1777 });
    server = createServer((socket) => {
      let serial = -1;
      socket.on("error", () => {});
      socket.on("data", () => {
        serial += 1;
        socket.write(serial === 0 ? welcome : answer(serial));
      });
    }).listen(path);
    await once(server, "listening");
  });
  afterEach(() => {
    server.close();
    rmSync(path, { force: true });
  });

  const askWindows = () =>
    withServer({ DISPLAY: display }, AbortSignal.timeout(2_000), (x11) => numbers(x11, x11.root, "_NET_CLIENT_LIST"));

  function reply(units: number, detail: number, content: Buffer): Buffer {
    const head = Buffer.alloc(32);
    [head[0], head[1]] = [1, detail];
    head.writeUInt32LE(units, 4);
    head.writeUInt32LE(units, 8); // also an atom
    head.writeUInt32LE(units, 16);
    return Buffer.concat([head, content]);
  }

  test("a list of windows is read from a server", async () => {
    answer = (serial) => (serial === 1 ? reply(0, 0, Buffer.alloc(0)).fill(1, 8, 9) : reply(2, 32, Buffer.alloc(8, 1)));
    expect(await askWindows()).toEqual([0x01010101, 0x01010101]);
  });

  test("a reply of 4 GiB ends the connection", async () => {
    answer = () => reply(0xffff_ffff, 32, Buffer.alloc(64));
    expect(await askWindows()).toEqual([]);
  });

  test("any bytes of a server lead to an answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 32, maxLength: 200 }), { minLength: 1 }),
        async (replies) => {
          answer = (serial) => {
            const bytes = Buffer.from(replies[serial % replies.length] ?? []);
            bytes.fill(0, 5, 8); // sizes of up to 1 KiB, so that some replies are whole
            return bytes;
          };
          const limit = AbortSignal.timeout(300);
          const found = await withServer({ DISPLAY: display }, limit, (x11) =>
            numbers(x11, x11.root, "_NET_CLIENT_LIST"),
          );
          expect(Array.isArray(found) || found === undefined).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });
});
