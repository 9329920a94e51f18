/** An instant (epoch milliseconds) as `YYYY-MM-DDTHH:MM:SSZ`. */
export function utcSeconds(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19)}Z`;
}
