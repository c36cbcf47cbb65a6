const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

/** True if a host name or address always means this machine. An IPv6 address may be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}
