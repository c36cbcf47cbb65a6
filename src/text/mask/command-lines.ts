import { secretPlaceholder } from "../clean.ts";
import { masked, quotedText, wordStart } from "./patterns.ts";

/** Matches the option with a user name and password, as in `curl -u user:password`. */
const userOption = new RegExp(
  `(\\s(?:-u\\s*|-[A-Za-z]{1,6}u\\s+|(?:--user|--proxy-user)(?:\\s+|=)))(?:${quotedText}|([^\\s"']{1,512}))`,
  "g",
);

/** Matches a user and a group, as in `docker run -u 1000:1000`. */
const ids = /^(?:\d+:\d+|(root|node|nobody|nginx|www-data):\1)$/;

/**
 * Matches options with secrets, such as `--token …` and `--api-key=…`. Text that begins like another option, a variable
 * or a placeholder does not count as the value.
 */
const secretOption = new RegExp(
  "(\\s--(?!secret[ =](?:id=|[a-z]+[_-]|\\S{1,64} [\"']?\\[secret\\]))(?:[a-z]+-)*(?:password|passwd|passphrase|token|secret|(?:api|access|account|auth)-?key)(?:\\s+|=))" +
    `(?!${masked}|[-<{$[])(?:${quotedText}|([^\\s"'\\\\]{6,512}))`,
  "gi",
);

/** Matches the arguments of `fly secrets set …`, `kubectl create secret generic …`. */
const secretCommand = /(?<=\ssecrets?\s{1,4}(?:set|generic))\s[^|;&\r\n]{1,400}/g;
/** Matches a pair of name and value in them: `FOO=…`, `--from-literal=foo=…`. */
const secretPair = new RegExp(
  `([\\s='"][A-Za-z][\\w.-]{0,63}=)(?!${masked}|["']?[-<{$[/.~]|["']?[\\w-]+=)(?:${quotedText}|([^\\s"'\\\\]{4,512}))`,
  "g",
);

/** Matches a cookie with a long value, as in `curl -b 'session=…'`. https://curl.se/docs/manpage.html#-b */
const cookieOption =
  /(\s(?:-b|--cookie)[\s=]{1,4}["']?(?:[^"'\r\n]{0,200}?;\s?)?[\w.-]{1,64}=)(?!\[secret\])[\w.%+/=~-]{16,512}/g;

/**
 * Programs that take a password or token, with the options or arguments before it, from the programs' own manuals:
 * https://manpages.debian.org/NAME, and for `az`, `gh`, `keytool`, `ngrok`, `snyk` and `vault` their vendors' pages.
 */
const programs: readonly (readonly [program: string, before: string])[] = [
  ["gh\\s+secret\\s+set", "\\s(?:-b|--body)[\\s=]*"],
  [
    "htpasswd",
    "\\s(?:-\\w{1,16}\\s+){0,3}-\\w{0,16}b\\w{0,16}\\s+(?:-\\w{1,16}\\s+){0,3}(?:(?<=-\\w{0,16}n\\w{0,16}\\s+)|[^\\s-]\\S*\\s+)[^\\s-]\\S*\\s+",
  ],
  ["ngrok", "\\s(?:add-)?authtoken\\s+"],
  ["(?:snyk|nuget)", "\\s(?:auth|setapikey)\\s+"],
  ["rclone", "\\sobscure\\s+"],
  ["mysqladmin", "\\spassword\\s+"],
  ["ansible-vault", "\\sencrypt_string\\s+"],
  ["(?:vault|cargo|wandb)", "\\s(?:login|unseal)\\s+(?:--\\S+\\s+){0,3}(?=\\S*\\d)"],
  ["redis-cli", "\\s(?:-a|--pass|AUTH|requirepass)\\s+"],
  ["netlify", "\\s--auth[\\s=]+"],
  ["curl", "\\s--(?:proxy-)?pass[\\s=]+"],
  ["(?:mongo\\w{0,8}|ldap\\w+|isql|ipmitool|poetry\\s+publish|user(?:add|mod))", "\\s-[pPw]\\s+"],
  ["(?:twine|ssh-keygen|cqlsh|cypher-shell|rabbitmqadmin)", "\\s-[pPN]\\s+"],
  ["net\\s+use", "\\s(?:/user:\\S+|\\\\\\\\\\S+)\\s+(?!/)"],
  ["net\\s+user", "\\s[\\w.-]{1,64}\\s+(?=\\S+\\s+/add)"],
  ["(?:https?|xhs?)", "\\s(?:-a|--auth)[\\s=]+[\\w.@-]{1,64}:"],
  ["curl", "\\s(?:-E|--cert)\\s+[^\\s:]{1,200}:"],
  ["(?:doctl|codecov)", "\\s-t\\s+"],
  ["(?:poetry|composer)\\s+config", "\\s(?:[a-z]+-(?:token|oauth)\\.\\S+|http-basic\\.\\S+\\s+\\S+)\\s+"],
  ["bundle\\s+config", "\\s[\\w-]+\\.[\\w.-]+\\s+[\\w.@-]{1,64}:(?!//)"],
  ["mc\\s+alias\\s+set", "\\s\\S+\\s+https?://\\S+\\s+\\S+\\s+"],
  ["bw", "\\s(?:unlock|login\\s+\\S+@\\S+)\\s+"],
  ["az\\s+keyvault\\s+secret\\s+set", "\\s--value[\\s=]+"],
  ["(?:docker|podman|gh|pass|wrangler|vercel)", "\\s(?:login|insert|secret|env)\\s[^|;&\\r\\n]{0,80}?<<<\\s*"],
  ["openssl", "\\s-(?:[kK]\\s+|pass(?:in|out)?\\s+pass:)"],
  ["openssl\\s+passwd", "\\s(?:-salt\\s+\\S+\\s+|-\\w+\\s+){0,4}"],
  ["(?:(?:un)?zip|sqlcmd|bcp|mosquitto_[a-z]{1,8})", "\\s-P\\s*"],
  ["[xw]freerdp3?", "\\s/p:"],
  ["(?:sshpass|psexec(?:64)?(?:\\.exe)?|(?:docker|podman|helm|oras|az)\\s[^|;&\\r\\n]{0,80}?login)", "\\s-p\\s*"],
  ["(?:sqlplus|sqlldr|expdp|impdp)", "\\s(?:-\\w{1,2}\\s+){0,3}[\\w.]{1,64}/"],
  ["lftp", "\\s-u\\s+[^\\s,]{1,64},"],
  ["security", "\\s(?:add|find)-\\S+\\s(?:[^|;&\\r\\n]{0,200}?\\s)?-[wp]\\s+"],
  [
    "aws\\s+(?:secretsmanager|ssm\\s+put-parameter(?=[^|;&\\r\\n]{0,300}SecureString))",
    "\\s--(?:secret-string|value)\\s+",
  ],
  ["ConvertTo-SecureString", "\\s(?:-String\\s+)?"],
  [
    "(?:setenv|setx?)",
    "\\s(?:-\\w{1,4}\\s+)?\\w{0,64}(?:PASS|TOKEN|SECRET|API_?KEY|PWD|_KEY(?=\\s+[\"']?(?=\\w{0,64}\\d)[\\w+=-]{16}))\\w{0,64}\\s+",
  ],
  ["(?:7z\\w?|unrar|rar|(?:mysql\\w{0,8}|mariadb(?:-\\w{1,8})?)(?:\\.exe)?)", "\\s-p(?=\\S)"],
  ["(?:keytool|jarsigner)", "\\s-(?:src|dest)?(?:store|key)pass\\s+"],
  ["snmp\\w{1,16}", "\\s-[AX]\\s+"],
  ["nmcli", "\\s(?:password|[\\w-]{1,32}\\.(?:psk|password))\\s+"],
  ["(?:wpa_passphrase|rabbitmqctl\\s+(?:add_user|change_password))", "\\s\\S{1,64}\\s+"],
  ["(?:pulumi\\s+config\\s+set\\s+--secret|dotnet\\s+user-secrets\\s+set)", "\\s\\S{1,64}\\s+"],
  ["chpasswd", "\\s<<<\\s*[\"']?[\\w.-]{1,32}:"],
  ["(?:cryptsetup|(?:vnc)?passwd|gpg\\s.{0,80}-fd|sudo\\s+(?:-S|--stdin))", "\\s[^|;&\\r\\n]{0,80}?<<<\\s*"],
  ["(?:smbclient|rpcclient|net\\s+ads)", "\\s-U\\s+[^\\s%]+%"],
];
const anyProgram = new RegExp(programs.map(([program]) => program).join("|"));
const programArgument = programs.map(
  ([program, before]) =>
    new RegExp(
      `(${wordStart}${program}(?=\\s)[^|;&\\r\\n]{0,200}?${before})(?!${masked}|["']?[-<{$[])(?:${quotedText}|([^\\s"'|;&]{4,512}))`,
      "g",
    ),
);

/** Matches a password piped into a program: `echo PASSWORD | sudo -S …`, `… | docker login --password-stdin`. */
const piped = new RegExp(
  `(${wordStart}(?:echo|printf)\\s+(?:-[neE]{1,3}\\s+)?(?:["']%s(?:\\\\n)?["']\\s+|(?!["']%)))(?!${masked}|["']?[-<{$[])(?:${quotedText}|([^\\s"'|]{4,512}))` +
    "(?=\\2?\\s*\\|\\s*(?:sudo\\s+(?:-[^\\s|]{1,16}\\s+(?:[^\\s|-][^\\s|]{0,32}\\s+)?){0,4}?-(?:[A-Za-z]{0,3}S|-stdin)\\b|(?:sudo\\s+)?(?:ch)?passwd|[^|\\r\\n]{0,200}(?:\\s(?:secrets?|env|versions)\\s+(?:add|create|put|set)\\s|create\\s+secret\\s|--password-stdin|--passphrase-fd|--with-token)|(?:sudo\\s+)?cryptsetup))",
  "g",
);

/**
 * Matches a line of `.netrc`: `machine … login … password …`.
 * https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
 */
const netrc = new RegExp(`(${wordStart}login\\s+\\S{1,256}\\s+password\\s+)(?!${masked})\\S{1,512}`, "g");

/** Matches passwords in SQL: `IDENTIFIED BY '…'`, `PASSWORD '…'`. */
const sql = new RegExp(
  `(${wordStart}(?:(?<!\\b(?:is|are|was|were|be)\\s)identified\\s+(?:with\\s+\\S{1,64}\\s+)?by|set\\s+password\\s[^\\s=]{0,16}\\s?[^\\s=]{0,80}\\s*=|password(?=\\s+'))\\s+)(["'])(?!${masked})[^"'\\r\\n]{3,512}(?=\\2)`,
  "gi",
);

/** Masks credentials in command lines and statements. */
export function maskCommandLines(text: string): string {
  const hide = (_: string, lead: string, quote = ""): string => `${lead}${quote}${secretPlaceholder}`;
  return (anyProgram.test(text) ? programArgument : [])
    .reduce((left, argument) => {
      const once = left.replace(argument, hide);
      return once === left ? left : once.replace(argument, hide); // a program may take two
    }, text)
    .replace(userOption, (whole, ...[lead, quote = "", quoted, bare]: string[]) => {
      const value = quoted ?? bare ?? "";
      const at = value.indexOf(":") + 1;
      return at === 0 || value.length - at < 3 || /^[$<{%/]/.test(value.slice(at)) || ids.test(value)
        ? whole
        : `${lead}${quote}${value.slice(0, at)}${secretPlaceholder}`;
    })
    .replace(piped, hide)
    .replace(cookieOption, hide)
    .replace(secretCommand, (pairs) => pairs.replace(secretPair, hide))
    .replace(secretOption, hide)
    .replace(netrc, `$1${secretPlaceholder}`)
    .replace(sql, hide);
}
