import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseExpiry } from "../../../src/cli/commands/relay/own-server.ts";
import { settingsFrom, type UpOptions } from "../../../src/cli/commands/relay/up-options.ts";
import type { ServerSettings } from "../../../src/relay/server/server-settings.ts";

const relay = mkdtempSync(join(tmpdir(), "beckon-up-"));
afterAll(() => rmSync(relay, { recursive: true, force: true }));
const from = (options: UpOptions, known?: ServerSettings) => settingsFrom(options, known, { relay });

test("a server is for everybody who reaches this machine, unless told otherwise", async () => {
  expect(await from({ person: "alice" })).toMatchObject({
    team: "team",
    person: "alice",
    listen: { host: "0.0.0.0", port: 4222 },
    isCluster: false,
  });
});

test.each<[string, UpOptions, RegExp]>([
  ["an address without a port", { listen: "localhost" }, /--listen: "localhost" is no HOST:PORT/],
  ["a port that is none", { listen: "localhost:70000" }, /--listen/],
  ["a name that would end the line of a file", { name: ['a"\nb'] }, /is no name of a server/],
  ["a name with a port", { name: ["relay.example.org:4222"] }, /is no name of a server/],
  ["a team with a dot, which parts subjects", { team: "a.b" }, /--team: "a\.b" is no name/],
  ["a person with a wildcard", { person: "*" }, /--person/],
  ["two servers", { cluster: "a,b" }, /three or five servers/],
  ["three servers of which two are the same", { cluster: "a,b,a" }, /three or five servers/],
  ["a cluster with a way out of its folder", { cluster: "a,b,../c" }, /is no name of a server/],
  ["a cluster with other names", { cluster: "a,b,c", name: ["d"] }, /--name and --cluster/],
])("refuses %s", async (_, options, message) => {
  await expect(from(options)).rejects.toThrow(message);
});

describe("of a server that is there already", () => {
  test("address and names may change", async () => {
    const known = await from({ person: "alice", name: ["old.example"] });
    const changed = await from({ name: ["new.example"], listen: "10.0.0.7:4223" }, known);
    expect(changed).toEqual({ ...known, names: ["new.example"], listen: { host: "10.0.0.7", port: 4223 } });
    expect(await from({}, changed)).toEqual(changed);
  });

  test.each<[string, UpOptions, RegExp]>([
    ["the team", { team: "other" }, /the team of this server is team, and stays it/],
    ["the person", { person: "bob" }, /the person of this server is alice/],
    ["its kind", { cluster: "a,b,c" }, /this is a single server, and stays one/],
  ])("%s stays", async (_, options, message) => {
    const known = await from({ person: "alice", name: ["relay.example.org"] });
    await expect(from(options, known)).rejects.toThrow(message);
  });
});

test("an invitation is good for hours or days", () => {
  expect([parseExpiry("12h"), parseExpiry("30d")]).toEqual([12 * 3_600_000, 30 * 24 * 3_600_000]);
  for (const wrong of ["", "0d", "30", "-1d", "1.5d", "30 d", "1y", "99999d"])
    expect(() => parseExpiry(wrong), wrong).toThrow(/is no time such as 12h or 30d/);
});
