/**
 * Writes a duration the way people read it: "1h 5m", "45s", "0s".
 * Parts that are zero are left out; fractions of a second are dropped.
 *
 * @param {number} milliseconds a finite number, not negative
 * @returns {string}
 */
export function formatDuration(milliseconds) {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(`a duration must be a finite number that is not negative, got ${milliseconds}`);
  }
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60), "m"],
    [seconds % 60, "s"],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count}${unit}`);
  return shown.length === 0 ? "0s" : shown.join(" ");
}
