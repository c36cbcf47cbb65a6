/** Renders the page's icon as SVG: a bell with the number of waiting sessions. The number shown is at most 99. */
export function renderIcon(count: number): string {
  const bell = "M16 4a8 8 0 0 0-8 8v6l-3 5h22l-3-5v-6a8 8 0 0 0-8-8zm-4 21a4 4 0 0 0 8 0z";
  const badge =
    count === 0
      ? ""
      : `<circle cx="22" cy="22" r="10" fill="#c2570c"/><text x="22" y="27" font-family="sans-serif" font-size="14" font-weight="700" text-anchor="middle" fill="#fff">${Math.min(99, count)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true"><path fill="#6b7a90" d="${bell}"/>${badge}</svg>`;
}
