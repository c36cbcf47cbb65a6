import { expect, onTestFinished, test } from "vitest";
import type { Config, ConfiguredNotifier } from "../../../src/config/config.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import type { Ports } from "../../../src/core/ports.ts";
import { AlertKeeper } from "../../../src/follow-up/keep-alerts.ts";
import type { RunContext } from "../../../src/pipeline/context.ts";
import { DeliveryWorld, makeConfig } from "../../world/delivery-world.ts";
import { localPorts } from "../../world/local-ports.ts";
import { configuredFor } from "./deliver-to.ts";
import type { ChangeCase } from "./notifier-case.ts";

/** Registers the test that a notifier's messages are tracked from one worker to the next. */
export function describeLifeStory(notifier: Notifier, changeCase: ChangeCase): void {
  test(`a message of ${notifier.name} is still tracked although the worker is killed after each step`, async () => {
    const world = await changeCase.start();
    onTestFinished(() => world.close());
    const story = await LifeStory.of(await configuredFor(notifier, world.settings), world.ports);
    const signs = async () => (await world.listActive()).map(({ title }) => title.slice(0, 1));
    await story.asks("make");
    expect(await signs()).toEqual(["s"]);
    await story.asks("make deploy");
    const isOlderThere = changeCase.withdrawn === "done" && !notifier.lifecycle?.replaces;
    expect(await signs()).toEqual(isOlderThere ? ["↓", "s"] : ["s"]);
    await story.prompts();
    expect(await signs()).toEqual(changeCase.withdrawn === "nothing" ? [] : isOlderThere ? ["↓", "✓"] : ["✓"]);
  });
}

/**
 * A session and its messages at one notifier. Each step runs in a worker that then dies, so that the next step knows
 * only what is on disk.
 */
export class LifeStory extends DeliveryWorld {
  readonly #config: Config;
  readonly #ports: Ports;
  #steps = 0;

  private constructor(config: Config, ports: Ports) {
    super();
    this.#config = config;
    this.#ports = ports;
  }

  /** Makes the story of one notifier that gets every event at once. */
  static async of(configured: ConfiguredNotifier, ports: Ports = localPorts()): Promise<LifeStory> {
    const config = await makeConfig({ attention: { wait: "0s", watching: { "needs-you": "ring" } } });
    const routes = [{ to: [configured.name] }];
    return new LifeStory(
      { ...config, notifiers: new Map([[configured.name, configured]]), routes, hasRoutes: true },
      ports,
    );
  }

  /** The agent asks to run a command. */
  asks(command: string): Promise<void> {
    return this.#step({ hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: { command } });
  }

  /** The user sends a prompt. */
  prompts(): Promise<void> {
    return this.#step({ hook_event_name: "UserPromptSubmit", prompt: "go on" });
  }

  async #step(payload: object): Promise<void> {
    this.#steps += 1;
    this.nowMs += 1_000;
    this.take(`step-${this.#steps}`, { session_id: "s-1", cwd: "/code/shop", ...payload });
    await this.drain(this.#newWorker());
    const keeper = new AlertKeeper();
    keeper.withdrawStale(this.#newWorker(), () => {});
    do await new Promise((resolve) => setImmediate(resolve));
    while (keeper.busy);
  }

  #newWorker(): RunContext {
    const context = this.worker(this.#config);
    const { clock, files, presence } = context.ports;
    const { desktop } = this.#ports;
    // A killed worker receives no more signals about its notifications.
    const deaf: Ports["desktop"] = { ...desktop, notify: ({ buttons: _, ...request }) => desktop.notify(request) };
    const ports = { ...this.#ports, desktop: deaf, clock, files, presence, host: { elsewhere: () => undefined } };
    return { ...context, ports };
  }
}
