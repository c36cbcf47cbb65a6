/**
 * Longest delay of a Node timer, in milliseconds. A timer with a longer delay fires at once.
 * https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
export const longestTimerMs = 2 ** 31 - 1;
