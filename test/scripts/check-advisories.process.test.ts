import { join } from "node:path";
import { expect, test } from "vitest";
import { repository, run } from "../world/home.ts";
import { answer, startHostileServer } from "../world/hostile-server.ts";

const advise = (severity: string) =>
  JSON.stringify({ zod: [{ severity, title: "Too slow", url: "https://example.org/1", vulnerable_versions: "<5" }] });
const found = "1 advisories\n.*: zod <5; bundled: [\\d.]+\\. Too slow https://example.org/1\n$";
const unreached = (reason: string) =>
  `^The registry's audit could not be reached: ${reason}; nothing was checked\\.\n$`;

test.each([
  { registry: "knows no advisory", body: "{}", says: "^\\d\\d bundled packages checked, 0 advisories\n$" },
  { registry: "has a moderate advisory", body: advise("moderate"), says: found },
  { registry: "has a high advisory", body: advise("high"), says: found, exitCode: 1 },
  { registry: "has a critical advisory", body: advise("critical"), says: found, exitCode: 1 },
  { registry: "has no audit", status: 405, says: unreached("it answers 405") },
  { registry: "answers with a page", body: "<html>", says: unreached("its answer has no advisories") },
  { registry: "answers with a number", body: '{"zod":5}', says: unreached("its answer has no advisories") },
  { registry: "does not listen", status: 0, says: unreached("ECONNREFUSED") },
])(
  "advisories are checked, or not, if the registry $registry",
  async ({ status = 200, body = "", exitCode = 0, says }) => {
    const server = await startHostileServer({ "*": answer(status, {}, body) });
    const env = { ...process.env, npm_config_registry: `${server.origin}/npm` };
    if (status === 0) await server.close();
    const program = ["--import", "tsx", join(repository, "scripts", "check-advisories.ts")];
    const result = await run(process.execPath, program, "", { env, cwd: repository });
    await server.close();
    expect(result).toMatchObject({ exitCode, stdout: expect.stringMatching(says), stderr: "" });
    const versions = expect.objectContaining({ zod: [expect.any(String)], "@nats-io/nuid": ["2.0.3"] });
    const asked = server.requests.map(({ path, body: sent }) => ({ path, versions: JSON.parse(sent) }));
    expect(asked).toEqual(status === 0 ? [] : [{ path: "/npm/-/npm/v1/security/advisories/bulk", versions }]);
  },
);
