import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, dist, type Home } from "../world/home.ts";
import { TwoHomes, untilTold } from "../world/two-homes.ts";

let homes: TwoHomes;
beforeEach(() => {
  homes = new TwoHomes();
});
afterEach(() => homes.remove());

const noServer = `beckon: no server is set up here that you share with a team
  \`beckon relay join FILE\` sets one up, with a person's invitation.
`;

/** Has whatever loads code of NATS fail, in an installation. Returns how many files there were. */
function breakNats({ paths }: Home): number {
  const chunks = ["cli", "worker"].map((program) => join(paths.app, "dist", "chunks", program));
  const [ofCli = ""] = chunks;
  rmSync(ofCli); // a link to the build's
  cpSync(join(dist, "chunks", "cli"), ofCli, { recursive: true });
  const files = chunks.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  const ofNats = files.filter(
    (file) => /\.c?js$/.test(file) && /NatsConnectionImpl|kvOperationHdr/.test(readFileSync(file, "utf8")),
  );
  for (const file of ofNats) writeFileSync(file, "throw new Error('NATS is loaded');\n");
  return ofNats.length;
}

test.each([
  ["sessions", "--team"],
  ["sessions", "--team", "--json"],
  ["board", "--team"],
])("without a server %s %s says what is missing", async (...args) => {
  expect(await homes.beckon(homes.desk, ...args)).toMatchObject({ exitCode: 1, stdout: "", stderr: noServer });
});

test.each([
  [["sessions", "--team", "--watch"], "--team goes with --json alone"],
  [["board", "--team", "--out", "day.html"], "--team does not go with --out"],
])("%s is wrong usage", async (args, message) => {
  const { exitCode, stderr } = await homes.beckon(homes.desk, ...args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("who does not ask for a team, and has no server, loads nothing of NATS", async () => {
  expect(breakNats(homes.desk)).toBeGreaterThan(1);
  expect(breakNats(homes.edge)).toBeGreaterThan(1);
  homes.receive();
  await homes.ask("May I?");
  await untilTold(homes, ["May I?"]);
  for (const args of [["sessions"], ["sessions", "--json"], ["status"], ["relay", "status"], ["seen"]])
    expect(await homes.beckon(homes.desk, ...args)).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await homes.beckon(homes.desk, "sessions", "--team")).stderr).toMatch(/unexpected (Syntax)?Error/);
});

test("credentials that are none are said", async () => {
  const plain = createHome();
  try {
    plain.writeConfig({ relay: { from: [{ servers: ["nats://127.0.0.1:1"], creds: "{}", durable: "team_alice" }] } });
    expect(await homes.beckon(plain, "sessions", "--team")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^beckon: what the team shares at 127\.0\.0\.1:1 cannot be read: .*not the credentials of an invitation/,
      ),
    });
  } finally {
    await plain.remove();
  }
});
