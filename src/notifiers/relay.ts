import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";
import type { ChangeCall } from "../core/notifier-call.ts";
import type { RelayTransport } from "../core/ports.ts";
import { ageRecipient, ageRecipients, natsServers } from "../core/relay-address.ts";
import { secret } from "../core/secret.ts";

const settingsSchema = z
  .object({
    via: z
      .literal("stdio")
      .optional()
      .describe("`stdio` if your own machine fetches the events, for instance over SSH. Otherwise set `servers`."),
    servers: natsServers
      .optional()
      .describe(
        "NATS servers, `tls://host:4222`, that keep events until your machine fetches them. It is enough if one server answers.",
      ),
    creds: secret(z.string())
      .optional()
      .describe("Credentials for `servers`, stored by `beckon relay join`: `${file:~/.beckon/relay/host.creds}`."),
    seal: z
      .union([ageRecipient, ageRecipients])
      .optional()
      .describe("Encrypt message texts with age for this public key, `age1…`, or for a list of keys."),
  })
  .refine(
    ({ via, servers, creds }) =>
      (via === undefined) === (servers !== undefined) && (servers === undefined) === (creds === undefined),
    "must have either `via`, or `servers` and `creds`",
  );
type Settings = z.output<typeof settingsSchema>;

export const relay = defineNotifier({
  name: "relay",
  summary: "Hands the event to beckon on your own machine, which notifies you there.",
  source: "https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md",
  audience: "machine",
  relays: true,
  settings: settingsSchema,
  example: { via: "stdio" },
  budgetMs: 10_000,
  maxInFlight: 16,
  limits: { unit: "graphemes", title: 200, body: 4_000 },
  reach: "network",
  lifecycle: {
    withdrawn: "reported",
    async notice({ settings, view, ports }) {
      const state = { id: view.event.id, state: "noticed", atMs: ports.clock.now(), by: undefined } as const;
      await ports.relay.sendStates(buildTransport(settings), [state]);
    },
  },
  async send({ settings, view, ports }) {
    return { id: await ports.relay.send(buildTransport(settings), view) };
  },
  update: sendResolved,
  withdraw: sendResolved,
});

/** Reports resolved events. Superseded messages are not reported: the user's machine shows its own messages. */
async function sendResolved({ settings, resolutions = [], ports }: ChangeCall<Settings>): Promise<undefined> {
  const states = resolutions.map(({ id, atMs, by }) => ({ id, atMs, by, state: "resolved" }) as const);
  if (states.length > 0) await ports.relay.sendStates(buildTransport(settings), states);
}

function buildTransport({ servers, creds = "", seal: recipients = [] }: Settings): RelayTransport {
  const seal = typeof recipients === "string" ? [recipients] : recipients;
  return servers ? { via: "nats", servers, creds, seal } : { via: "stdio", seal };
}
