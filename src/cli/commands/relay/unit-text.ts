/** A program that systemd or launchd runs for the user. */
export interface ServiceText {
  readonly description: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Lines of `[Unit]` and `[Service]` besides, as systemd has them. */
  readonly unitLines?: readonly string[];
  readonly serviceLines?: readonly string[];
}

/**
 * A user unit. Of systemd's own quoting:
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#Command%20lines
 */
export function systemdUnit({
  description,
  words,
  environment = {},
  unitLines = [],
  serviceLines = [],
}: ServiceText): string {
  const quoted = (word: string): string =>
    `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`).replaceAll("$$", "$")}`,
  );
  return `${[
    "[Unit]",
    `Description=${description}`,
    ...unitLines,
    "",
    "[Service]",
    `ExecStart=${words.map(quoted).join(" ")}`,
    ...variables,
    ...serviceLines,
    "Restart=always",
    "RestartSec=5",
    "",
    "[Install]",
    "WantedBy=default.target",
  ].join("\n")}\n`;
}

/**
 * An agent of launchd:
 * https://developer.apple.com/library/archive/documentation/MacOSX/Conceptual/BPSystemStartup/Chapters/CreatingLaunchdJobs.html
 */
export function plist(label: string, { words, environment = {} }: ServiceText): string {
  const escaped = (value: string): string =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const text = (value: string): string => `<string>${escaped(value)}</string>`;
  const variables = Object.entries(environment).map(([name, value]) => `<key>${escaped(name)}</key>${text(value)}`);
  const environmentLines = variables.length
    ? `  <key>EnvironmentVariables</key>\n  <dict>${variables.join("")}</dict>\n`
    : "";
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${text(label)}
  <key>ProgramArguments</key>
  <array>${words.map(text).join("")}</array>
${environmentLines}  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
</dict>
</plist>
`;
}
