import { createServer } from "node:http";
import { createHome } from "../test/world/home.ts";
import { buildUrl, deliveryTime, startServer, webhookConfig } from "./latency.ts";
import { median, printTable } from "./table.ts";

const rounds = Number(process.env["ROUNDS"] ?? 25);
const warmUps = 3;

/**
 * Measures how much stuck notifiers slow down another: from event to delivery to a webhook alone, and next to a server
 * that never answers and a command that sleeps, interleaved, with lingering workers. Returns the ratio of the medians.
 */
export async function measureIndependence(): Promise<number> {
  let arrived: (() => void) | undefined;
  const server = await startServer(0, () => arrived?.());
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const homes = { alone: createHome("beckon-bench"), beside: createHome("beckon-bench") };
  const stuck = {
    hangs: { type: "webhook", url: buildUrl(silent) },
    slow: { type: "command", run: ["sleep", "30"], timeout: "60s" },
  };
  homes.alone.writeConfig(webhookConfig(buildUrl(server), "2m"));
  homes.beside.writeConfig({
    notifiers: { ...stuck, hook: { type: "webhook", url: buildUrl(server) } },
    delivery: { linger: "2m" },
  });
  const times: Record<keyof typeof homes, number[]> = { alone: [], beside: [] };
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of round % 2 ? (["alone", "beside"] as const) : (["beside", "alone"] as const)) {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const ms = await deliveryTime(homes[name], `${name}-${round}`, arrival);
      if (round >= 0) times[name].push(ms);
    }
  }
  for (const home of Object.values(homes)) await home.remove();
  server.close();
  silent.closeAllConnections();
  silent.close();
  const [alone, beside] = [median(times.alone), median(times.beside)];
  printTable(
    `From event to delivery while a worker lingers, ${rounds} interleaved rounds`,
    ["the webhook", "median ms"],
    [
      ["alone", alone.toFixed(1)],
      ["beside a server that hangs and a command that sleeps", beside.toFixed(1)],
    ],
  );
  return beside / alone;
}
