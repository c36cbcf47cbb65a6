import { plainNotifierSettings } from "./notifier-table.ts";
import { templatesSchema } from "./templates-table.ts";

/** What every entry of `notifiers` may say besides the notifier's own settings. */
export const commonNotifierSettings = plainNotifierSettings.extend({
  templates: templatesSchema.optional().describe("Message templates for this notifier alone."),
});
