import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { worker } from "../scripts/build-options.ts";
import { createHome, type Home, repository } from "../test/world/home.ts";
import { buildUrl, deliveryTime, startServer, waitUntilIdle, webhookConfig } from "./latency.ts";
import { median, printTable } from "./table.ts";

const rounds = Number(process.env["ROUNDS"] ?? 25);

/**
 * Measures the cost of notifiers that are not configured: from event to delivery without a running worker, with the
 * built toolkit and with a build that has only the webhook, interleaved. Returns the ratio of the medians.
 */
export async function measureKnown(): Promise<number> {
  let arrived: (() => void) | undefined;
  const server = await startServer(0, () => arrived?.());
  const homes = { all: createHome("beckon-bench"), webhookOnly: createHome("beckon-bench") };
  await knowOnlyWebhook(homes.webhookOnly);
  for (const home of Object.values(homes)) home.writeConfig(webhookConfig(buildUrl(server), "0s"));
  const times: Record<keyof typeof homes, number[]> = { all: [], webhookOnly: [] };
  for (let round = -2; round < rounds; round += 1) {
    const order = Object.entries(homes) as [keyof typeof homes, Home][];
    for (const [name, home] of round % 2 ? order : order.reverse()) {
      await waitUntilIdle(home);
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const ms = await deliveryTime(home, `${name}-${round}`, arrival);
      if (round >= 0) times[name].push(ms);
    }
  }
  for (const home of Object.values(homes)) await home.remove();
  server.close();
  const [all, webhookOnly] = [median(times.all), median(times.webhookOnly)];
  printTable(
    `From event to delivery without a worker so far, ${rounds} interleaved rounds`,
    ["notifiers known", "median ms"],
    [
      ["all", all.toFixed(1)],
      ["the webhook alone", webhookOnly.toFixed(1)],
    ],
  );
  return all / webhookOnly;
}

/** Puts a worker in a home's app that was built with the webhook as its only notifier. */
async function knowOnlyWebhook(home: Home): Promise<void> {
  const plugins: Plugin[] = [
    {
      name: "webhook-alone",
      setup(plugin) {
        plugin.onLoad({ filter: /src\/notifiers\/registry\.ts$/ }, () => ({
          contents: `export const notifierLoaders = { webhook: async () => (await import("./webhook.ts")).webhook };`,
          loader: "ts",
          resolveDir: join(repository, "src", "notifiers"),
        }));
        plugin.onLoad({ filter: /src\/config\/default-notifiers\.ts$/ }, () => ({
          contents: "export const defaultNotifiers = {};",
          loader: "ts",
        }));
      },
    },
  ];
  await build({ ...worker, outdir: join(home.paths.app, "dist"), plugins });
}
