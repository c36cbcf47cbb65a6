const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

/** Whether a host is this machine by its name or address; an IPv6 address also in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}
