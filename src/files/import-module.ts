/**
 * Imports a user's module. Has a bundle of its own, because code from V8's cache cannot import:
 * https://github.com/nodejs/node/issues/43663
 * @param url `file:` URL
 */
export const importModule = (url: string): Promise<Record<string, unknown>> => import(url);
