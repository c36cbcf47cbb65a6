import { expect, test } from "vitest";
import { isPrivateAddress, serverAddress } from "../../../src/notifiers/shared/server-address.ts";

test.each([
  ["http://localhost:2586", true],
  ["http://raspberry", true],
  ["http://raspberry.local", true],
  ["https://ntfy.lan:8443/in", true],
  ["http://ntfy.home.arpa", true],
  ["http://127.0.0.1", true],
  ["http://0x7f.1", true], // 127.0.0.1
  ["http://10.1.2.3", true],
  ["http://172.16.0.1", true],
  ["http://172.31.255.255", true],
  ["http://192.168.1.5:80", true],
  ["http://169.254.1.1", true],
  ["http://[::1]:80", true],
  ["http://[fd00::1]", true],
  ["http://[fe80::1]", true],
  ["http://[::ffff:10.1.2.3]", true],
  ["https://ntfy.sh", false],
  ["https://ntfy.sh.", false],
  ["https://ntfy.example.com", false],
  ["https://local.example.com", false],
  ["https://8.8.8.8", false],
  ["https://134744072", false], // 8.8.8.8
  ["http://172.32.0.1", false],
  ["http://192.169.1.1", false],
  ["https://[2606:4700:4700::1111]", false],
  ["https://[fd::1]", false], // 00fd::1
  ["http://[::ffff:8.8.8.8]", false],
])("%s is a private address: %s", (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected);
});

test.each([
  ["https://push.example.org", "https://push.example.org"],
  ["http://10.0.0.1:8080//", "http://10.0.0.1:8080"],
  ["https://example.org/gotify/", "https://example.org/gotify"],
])("%s is read as %s", (address, expected) => {
  expect(serverAddress.parse(address)).toBe(expected);
});

test.each([
  "",
  "push.example.org",
  "ftp://a.example",
  "https://me:secret@a.example",
  "https://a.example/?x",
  "https://a.example/#x",
])("%j is not a server address", (address) => {
  expect(serverAddress.safeParse(address).success).toBe(false);
});
