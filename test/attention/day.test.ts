import { expect, test } from "vitest";
import { AttentionWorld } from "../world/attention-world.ts";
import { Day, play } from "./day.ts";

const atDesk = { idleMs: 5_000, isLocked: false };
const routes = [
  { kinds: ["needs-you", "failed", "finished"], to: ["desk", "chime"] },
  { kinds: ["needs-you", "failed"], to: ["phone"], when: "away" },
  { kinds: ["needs-you"], to: ["phone"], after: "5m", repeat: { every: "10m", times: 2 } },
  { kinds: ["failed"], projects: ["/home/me/api"], to: ["team"] },
];
const quiet = [{ at: "22:00-07:30", zone: "Europe/Berlin" }];

/** Saturday: work, lunch, a meeting, an evening. The clock is set back in the night. */
function saturday(): Day {
  return new Day("2026-10-24", "+02:00")
    .person("09:00", "sits down", atDesk)
    .turns("09:00", "12:00", 9, "shop")
    .turns("09:03", "12:00", 13, "docs")
    .looksAt("09:30", "shop")
    .looksAt("10:15", undefined)
    .asks("10:20", "api", "npm test")
    .typesAt("10:20:01", "api")
    .prompt("10:20:40", "api")
    .asks("10:31", "infra", "terraform plan")
    .asks("10:31:00", "infra", "terraform fmt")
    .prompt("10:33", "infra")
    .doneButRuns("10:40", "api", "Started the server", "npm start")
    .done("11:00:00", "site", "Built")
    .done("11:00:00", "data", "Loaded")
    .done("11:00:01", "infra", "Planned")
    .prompt("11:04", "site")
    .prompt("11:05", "data")
    .looksAt("11:20", "api")
    .asks("11:21", "api", "git push")
    .prompt("11:24", "api")
    .looksAt("11:25", undefined)
    .person("12:00", "goes to lunch and locks the screen", { isLocked: true })
    .asks("12:10", "shop", "rm -rf build")
    .failed("12:30", "api", "API Error: 500")
    .person("13:00", "comes back", atDesk)
    .prompt("13:01", "shop")
    .prompt("13:02", "api")
    .turns("13:05", "18:00", 11, "shop")
    .turns("13:07", "18:00", 17, "api")
    .person("14:00", "is in a meeting, the screen shared", { ...atDesk, isDoNotDisturb: true })
    .asks("14:10", "data", "psql -c 'select 1'")
    .prompt("14:11", "data")
    .person("15:00", "comes out of the meeting", atDesk)
    .person("19:00", "leaves", { idleMs: 600_000, isLocked: false })
    .asks("21:58:30", "docs", "make")
    .done("22:05", "shop", "Refactored")
    .done("22:40", "site", "Deployed")
    .failed("23:15", "api", "API Error: 529")
    .asks("23:50", "infra", "terraform apply");
}

/** Sunday, after a night of ten and a half hours. */
function sunday(): Day {
  return new Day("2026-10-25", "+01:00")
    .done("03:10", "data", "Crunched")
    .reboot("06:00")
    .person("08:00", "sits down", atDesk)
    .prompt("08:05", "infra")
    .prompt("08:06", "api")
    .prompt("08:07", "docs")
    .ends("08:30", "docs")
    .ends("08:31", "site")
    .prompt("08:40", "data")
    .prompt("08:41", "shop");
}

test("a day of six sessions rings exactly as the table says", async () => {
  const world = new AttentionWorld();
  await world.start({ routes, attention: { quiet } });
  const happenings = [...saturday().happenings, ...sunday().happenings];
  world.nowMs = Date.parse("2026-10-24T08:59:00+02:00");
  const table = await play(world, happenings, Date.parse("2026-10-25T09:30:00+01:00"));
  expect(happenings.length).toBeGreaterThan(200);
  await expect(table).toMatchFileSnapshot("./day.txt");
}, 180_000); // two days of a user: eight seconds on an idle machine
