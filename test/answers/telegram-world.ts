import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Alerts, alertFolder } from "../../src/attention/alert-files.ts";
import { threadKey } from "../../src/attention/session-keys.ts";
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { KeyedQueue } from "../../src/core/keyed-queue.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { buildOutgoing } from "../../src/pipeline/run-state.ts";
import { localPorts } from "../world/local-ports.ts";
import {
  ann,
  buttonData,
  startTelegramBotApi,
  TelegramBot,
  type TelegramBotApi,
  type TelegramMessage,
  type TelegramUser,
} from "../world/telegram-bot-api.ts";
import { KeeperWorld } from "./keeper-world.ts";

const token = "123456:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789";
const otherToken = "654321:ABCdefGHIjklMNOpqrSTUvwxYZ0123456789";
/** A group, and the user's own chat with the bot. */
export const [group, chat] = [-1_001_234, ann.id] as const;
/** A person who is listed for the group alone. */
export const ben: TelegramUser = { id: 5151, is_bot: false, first_name: "Ben" };

/** Open requests of a worker whose messages are at Telegram, with two bots. */
export class TelegramWorld extends KeeperWorld {
  readonly bot = new TelegramBot(token, [chat, group]);
  readonly otherBot = new TelegramBot(otherToken, [chat]);
  readonly #threads = new KeyedQueue();
  readonly alerts = new Alerts(alertFolder({ state: join(this.paths.root, "state") }), this.clock);
  api!: TelegramBotApi;
  config!: Config;

  static async start(): Promise<TelegramWorld> {
    const world = new TelegramWorld();
    world.api = await startTelegramBotApi([world.bot, world.otherBot]);
    onTestFinished(() => {
      world.keeper.asks.endAll("the test has ended");
      return world.api.close();
    });
    await world.configure({});
    const may = ["deny", "allow"] as const;
    world.settings.from = {
      me: { users: [ann.id], may: [...may] },
      team: { users: [ben.id], may: [...may] },
      second: { users: [ann.id], may: [...may] },
    };
    return world;
  }

  /** Configures the three notifiers: the user's chat, a group, and the user's chat with another bot. */
  async configure(more: object): Promise<void> {
    const entry = { type: "telegram", server: this.api.origin, token };
    const notifiers = {
      me: { ...entry, chatId: String(chat), ...more },
      team: { ...entry, chatId: String(group), ...more },
      second: { ...entry, token: otherToken, chatId: String(chat), ...more },
    };
    this.config = await parseConfig(JSON.stringify({ notifiers }));
    expect(this.config.findings).toEqual([]);
  }

  override get context(): RunContext {
    const { config, ports, ...others } = super.context;
    const { presence } = ports;
    return {
      ...others,
      alerts: this.alerts,
      config: { ...this.config, answers: config.answers, attention: this.config.attention },
      ports: { ...localPorts(), clock: this.clock, presence },
      threads: this.#threads,
      keepSecret() {},
    } as unknown as RunContext;
  }

  /** Sends a request's message, and waits until its buttons are read. It has been visible for two seconds then. */
  async send(id: string, notifier = "me"): Promise<TelegramMessage> {
    const bot = notifier === "second" ? this.otherBot : this.bot;
    const message = await this.sendUnread(id, notifier);
    await expect.poll(() => bot.isPolled).toBe(true);
    this.clock.skip(2_000);
    return message;
  }

  /** Sends a request's message. */
  async sendUnread(id: string, notifier = "me"): Promise<TelegramMessage> {
    const configured = this.config.notifiers.get(notifier) ?? expect.fail("no such notifier");
    const event = this.keeper.asks.findOpen(id)?.event ?? expect.fail("not open");
    const offer = this.keeper.messages.offer(event, notifier);
    const outgoing = { ...buildOutgoing(configured, [{ event, facts: {} }], { key: threadKey(event) }), offer };
    const { receipt, failure } = await attempt(outgoing as never, this.context);
    expect(failure).toBeUndefined();
    offer?.markShown(receipt);
    return (notifier === "second" ? this.otherBot : this.bot).last ?? expect.fail("nothing was sent");
  }

  /** Has a user press a button, and waits until the press is acknowledged. */
  async press(message: TelegramMessage, choice: "allow" | "deny", from = ann, changes: object = {}): Promise<void> {
    await this.pressData(message, buttonData(message, choice), from, changes);
  }

  /** Has a user send any callback data, and waits until the press is acknowledged. */
  async pressData(message: TelegramMessage, data: string, from = ann, changes: object = {}): Promise<void> {
    await this.untilAcknowledged(this.bot.press(message, data, from, changes));
  }

  async untilAcknowledged(press: string, bot: TelegramBot = this.bot): Promise<void> {
    await expect.poll(() => bot.acknowledged.has(press)).toBe(true);
  }

  /** Lines that say why a press did not count. */
  refusals(): string[] {
    return this.lines
      .filter(({ status }) => status === "refused" || status === "late")
      .map(({ status, reason }) => reason ?? status);
  }

  /** Has another worker take over from one that was killed. */
  async replaceWorker(): Promise<void> {
    const killed = this.keeper;
    for (const { receipts } of killed.asks.open) receipts.clear();
    for (const socket of this.api.open) socket.destroy();
    for (const name of this.config.notifiers.keys())
      await expect.poll(() => killed.messages.readers.isReading(name)).toBe(false);
    this.restart();
  }
}
