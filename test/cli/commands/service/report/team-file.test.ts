import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseTeams, readTeamFile } from "../../../../../src/cli/commands/service/report/team-file.ts";
import { freshFolder } from "../../../../world/fresh-folder.ts";

const shop = new Map([
  ["shop", ["ada@example.com", "bob@example.com"]],
  ["core", ["cy@example.com"]],
]);

test.each([
  ["CSV with a header", "team,email\nshop,Ada@example.com\nshop, bob@example.com\ncore,cy@example.com\n"],
  ["CSV without a header", "shop,ada@example.com\nshop,bob@example.com\ncore,cy@example.com"],
  [
    "CSV with CRLF, a byte order mark, blank lines and comments",
    "\ufeffTeam,Email\r\n\r\n# the shop\r\nshop,ada@example.com\r\nshop,bob@example.com\r\ncore,cy@example.com\r\n",
  ],
  [
    "CSV with quotes and a repeated line",
    '"shop","ada@example.com"\nshop,ada@example.com\nshop,bob@example.com\ncore,cy@example.com\n',
  ],
  ["JSON lists by team", '{"shop": ["ada@example.com", "BOB@example.com"], "core": ["cy@example.com"]}'],
  [
    "a JSON list of objects",
    '[{"team":"shop","email":"ada@example.com"},{"team":"shop","email":"bob@example.com"},{"team":"core","email":"cy@example.com"}]',
  ],
])("%s is read", (_, text) => {
  expect(parseTeams(text, "teams")).toEqual(shop);
});

test("a team's name may contain a comma in quotes", () => {
  expect([...parseTeams('"tools, platform",a@b.c', "teams").keys()]).toEqual(["tools, platform"]);
});

test.each([
  ["no address", "shop,ada@example.com\nshop,bob", "teams, line 2: not a team and an e-mail address"],
  ["no team", ",ada@example.com", "teams, line 1: not a team and an e-mail address"],
  ["three columns", "shop,ada@example.com,x", "teams, line 1: not a team"],
  ["an open quote", 'shop,"ada@example.com', "teams is not CSV: "],
  ["an address in two teams", "shop,a@b.c\n\ncore,A@b.c", "teams, line 3: a@b.c is also in shop"],
  ["broken JSON", '{"shop": [', "teams is not valid JSON"],
  ["a team without a list", '{"shop": "a@b.c"}', "teams, shop: not a list of addresses"],
  ["an address that is no text", '{"shop": [7]}', "teams, shop, address 1: not a team"],
  ["an item that is no object", "[null]", "teams, item 1: not a team"],
  ["nothing", "team,email\n", "teams has no teams"],
])("a file with %s is refused, with the place and the forms", (_, text, says) => {
  expect(() => parseTeams(text, "teams")).toThrow(says);
});

test("a file that is missing or a folder is named", async () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "teams"));
  writeFileSync(join(folder, "good.csv"), "shop,a@b.c");
  await expect(readTeamFile(join(folder, "no.csv"))).rejects.toThrow("no.csv does not exist");
  await expect(readTeamFile(join(folder, "teams"))).rejects.toThrow("teams is a folder");
  expect(await readTeamFile(join(folder, "good.csv"))).toEqual(new Map([["shop", ["a@b.c"]]]));
});
