import { readFile } from "node:fs/promises";
import { CsvError, parse } from "csv-parse/sync";
import { CommandError, readErrno } from "../../../../core/errors.ts";
import { parseJson } from "../../../../core/json-value.ts";
import { cleanAddress, shownName } from "../../../../report/ranking.ts";
import type { TeamMembers } from "../../../../report/teams.ts";

const forms = 'Write lines such as `shop,ada@example.com`, or JSON such as {"shop": ["ada@example.com"]}.';

/**
 * Reads the teams of a report from a CSV or JSON file.
 * @throws {CommandError} if the file cannot be read or is not of a known form, or an address is in two teams
 */
export async function readTeamFile(path: string): Promise<TeamMembers> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const reasons: Readonly<Record<string, string>> = { ENOENT: "does not exist", EISDIR: "is a folder" };
    const reason = reasons[readErrno(error) ?? ""] ?? "cannot be read";
    throw new CommandError(`the team file ${path} ${reason}`, `Give a file with --team. ${forms}`);
  });
  return parseTeams(text, path);
}

/**
 * Parses teams: CSV lines of a team and an address, with or without the header `team,email`; a JSON object of lists of
 * addresses by team; or a JSON list of objects with `team` and `email`. Addresses are compared in lower case.
 * @param path name of the file, for errors
 * @throws {CommandError}
 */
export function parseTeams(text: string, path: string): TeamMembers {
  const content = text.replace(/^\ufeff/, "").trim();
  const pairs = /^[[{]/.test(content) ? readJson(content, path) : readCsv(content, path);
  const teams = new Map<string, string[]>();
  const teamByAddress = new Map<string, string>();
  for (const { team, email, place } of pairs) {
    const [name, address] = [shownName(team), cleanAddress(email)];
    if (team.trim() === "" || !/^[^\s@]+@[^\s@]+$/.test(address))
      throw new CommandError(`${path}, ${place}: not a team and an e-mail address`, forms);
    const other = teamByAddress.get(address);
    if (other === name) continue;
    if (other !== undefined)
      throw new CommandError(`${path}, ${place}: ${address} is also in ${other}`, "Keep each address in one team.");
    teamByAddress.set(address, name);
    teams.set(name, [...(teams.get(name) ?? []), address]);
  }
  if (teams.size === 0) throw new CommandError(`${path} has no teams`, forms);
  return teams;
}

/** Reads teams and addresses as written in the file, each with its line, for errors. */
function readCsv(text: string, path: string) {
  try {
    const options = { info: true, relax_column_count: true, skip_empty_lines: true, trim: true, comment: "#" } as const;
    const records = parse(text, { ...options, comment_no_infix: true }) as unknown as readonly {
      record: readonly string[];
      info: { lines: number };
    }[];
    const [first] = records;
    const isHead = /^team,(?:e-?mail|address)$/i.test(first?.record.join() ?? "");
    return records.slice(isHead ? 1 : 0).map(({ record: [team = "", email = "", ...rest], info: { lines } }) => {
      return { team: rest.length > 0 ? "" : team, email, place: `line ${lines}` };
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(`${path} is not CSV: ${error.message}`, forms);
  }
}

/** Reads teams and addresses like `readCsv`, each with its item. */
function readJson(text: string, path: string) {
  const value = parseJson(text);
  if (value === undefined) throw new CommandError(`${path} is not valid JSON`, forms);
  const isText = (item: unknown): item is string => typeof item === "string";
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const { team, email } = Object(item) as { team?: unknown; email?: unknown };
      return { team: isText(team) ? team : "", email: isText(email) ? email : "", place: `item ${index + 1}` };
    });
  }
  return Object.entries(value as object).flatMap(([team, list]: [string, unknown]) => {
    if (!Array.isArray(list)) throw new CommandError(`${path}, ${shownName(team)}: not a list of addresses`, forms);
    return list.map((email: unknown, index) => {
      return { team, email: isText(email) ? email : "", place: `${shownName(team)}, address ${index + 1}` };
    });
  });
}
