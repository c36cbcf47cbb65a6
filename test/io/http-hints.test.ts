import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { createHttp } from "../../src/io/http.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { listen } from "../world/listen.ts";

/** Creates a server that sends first, as mail and SSH servers do. */
const speakFirst = (text: string) => createServer((socket) => void socket.on("error", () => {}).end(text));

test("a TLS or HTTP error names the protocol that the address does not support", async () => {
  const plain = await listen(createHttpServer((_, response) => void response.end("ok")));
  const ssh = await listen(speakFirst("SSH-2.0-OpenSSH_9.2\r\n"));
  const mail = await listen(speakFirst("220 mail.example.test ESMTP\r\n"));
  const rows = [
    ["TLS to an HTTP server", `https://${plain}/`, /does not support TLS.* http:\/\//],
    ["TLS to an SSH server", `https://${ssh}/`, /does not support TLS/],
    ["HTTP to an SSH server", `http://${ssh}/`, /does not support HTTP or needs https:\/\/\. Check host and port/],
    ["HTTP to a mail server", `http://${mail}/`, /does not support HTTP/],
  ] as const;
  const check = async ([, url, hint]: (typeof rows)[number]) => {
    const error = await createHttp()
      .send({ url, signal: AbortSignal.timeout(5000) })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: "unavailable", hint: expect.stringMatching(hint) });
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});
