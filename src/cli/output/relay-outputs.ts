import * as z from "zod";
import { count, list, printsLines, printsObject, time } from "./declare.ts";
import { sampleOutcome } from "./setup-outputs.ts";

const text = z.string();

const machine = z.strictObject({ host: text, lastEventAt: time });
const link = z
  .strictObject({
    via: text,
    state: z.enum(["connecting", "connected", "waiting"]),
    sinceAt: time,
    version: text.optional(),
    lastEventAt: time.optional(),
    nextTryAt: time.optional(),
    waiting: count.optional(),
    problem: text.optional(),
    machines: list(machine).optional(),
  })
  .meta({ id: "Link" });
/** Connection to another machine or a server, for programs. */
export type LinkOutput = z.output<typeof link>;

const viewFields = {
  sources: list(z.strictObject({ name: text, link: link.optional() })),
  receiver: z.strictObject({ pid: z.int(), problem: text.optional() }).optional(),
  handingOver: z
    .strictObject({
      notifier: text,
      servers: list(text).optional(),
      waiting: count,
      oldestAt: time.optional(),
      fetchedAt: time.optional(),
    })
    .optional(),
};
/** Connections in `status --json` and `relay status --json`. */
export const relayView = z.strictObject(viewFields).meta({ id: "Relay" });
export type RelayViewOutput = z.output<typeof relayView>;

const relayStatus = z.strictObject({
  isConfigured: z.boolean(),
  ...viewFields,
  recipient: text.optional().describe("Key for encrypted texts."),
  reached: z.strictObject({ version: text.optional(), problem: text.optional() }).optional(),
  server: z
    .strictObject({
      addresses: list(text),
      version: text.optional(),
      problem: text.optional(),
      waiting: z.record(text, count).readonly().optional(),
      users: list(z.strictObject({ name: text, expiresAt: time.optional() })),
    })
    .optional(),
});
/** Output of `relay status --json`. `recipient` is this machine's key for encrypted texts. */
export type RelayStatusOutput = z.output<typeof relayStatus>;

const fetchedHost = z
  .strictObject({
    host: text,
    state: z.enum(["not-fetched", "connecting", "connected", "waiting"]),
    sinceAt: time.optional(),
    version: text.optional(),
    problem: text.optional(),
    lastEventAt: time.optional(),
  })
  .meta({ id: "FetchedHost" });
const machineBehind = z
  .strictObject({ host: text, by: text.describe("Server that its events come through."), lastEventAt: time })
  .meta({ id: "MachineBehindServer" });
const hostLine = z.union([fetchedHost, machineBehind]);
/** Machine in `relay hosts --json`; `by` names the server that a machine's events come through. */
export type HostLine = z.output<typeof hostLine>;

const linkChange = z
  .strictObject({
    host: text,
    state: z.enum(["connecting", "connected", "waiting"]),
    sinceAt: time,
    version: text.optional(),
    problem: text.optional(),
  })
  .meta({ id: "LinkChange" });
/** Line of `relay run --json`: a connection whose state has changed. */
export type LinkChange = z.output<typeof linkChange>;

const joined = z
  .strictObject({ notifier: text, others: list(text), sample: text.describe("Session id of the sample event.") })
  .meta({ id: "JoinedMachine" });
const joinedAsPerson = z.strictObject({ person: text }).meta({ id: "JoinedPerson" });

const addedHost = z.strictObject({ host: text, isInstalled: z.boolean(), outcomes: list(sampleOutcome) });
/**
 * Output of `relay add --json`. `isInstalled` is true if the command installed beckon on the machine. `outcomes` are
 * those of the sample event.
 */
export type AddedHost = z.output<typeof addedHost>;

const left = z.union([
  z.strictObject({ host: text, service: text.optional(), problem: text.optional() }).meta({ id: "LeftHost" }),
  z.strictObject({ notifiers: list(text), deleted: count }).meta({ id: "StoppedSending" }),
]);
/**
 * Output of `relay leave --json`: the machine that is no longer fetched from, with the reason why it may still keep
 * events; or the notifiers removed here, with the number of deleted events.
 */
export type LeftOutput = z.output<typeof left>;

const serverSetUp = z.strictObject({
  folder: text,
  team: text,
  person: text,
  isNew: z.boolean(),
  isRunning: z.boolean(),
  program: z.strictObject({ file: text, version: text.optional() }).optional(),
});
/** Output of `relay up --json`. */
export type ServerSetUp = z.output<typeof serverSetUp>;

const revoked = z.strictObject({ revoked: list(text), problem: text.optional() });
/** Output of `relay revoke --json`. With a `problem`, access ends when the server restarts. */
export type RevokedOutput = z.output<typeof revoked>;

/** Line that `relay join --json` prints for a machine, read by the machine that added it. */
export const joinedLine = z.object({
  notifier: text,
  /** Absent in the output of older versions. */
  others: z.array(text).optional(),
  sample: text,
});
export type Joined = z.output<typeof joinedLine>;

/** Outputs of `beckon relay`. */
export const relayOutputs = {
  "relay add": printsObject(addedHost),
  "relay run": printsLines(z.union([linkChange, z.strictObject({ service: text }).meta({ id: "StartedService" })])),
  "relay status": printsObject(relayStatus),
  "relay hosts": printsLines(hostLine),
  "relay join": printsObject(z.union([joined, joinedAsPerson])),
  "relay leave": printsObject(left),
  "relay up": printsObject(serverSetUp),
  "relay invite": printsObject(
    z.union([
      z
        .strictObject({
          invitations: list(z.strictObject({ host: text.optional(), person: text.optional(), file: text })),
        })
        .meta({ id: "InvitationFiles" }),
      z.looseObject({ beckon: z.int() }).meta({ id: "Invitation" }),
    ]),
  ),
  "relay revoke": printsObject(revoked),
};
