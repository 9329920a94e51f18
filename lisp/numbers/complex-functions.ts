/**
 * Elementary functions of complex doubles, by Kahan's formulas, so that signed zeros choose the side of a branch cut.
 * A complex double is a pair [re, im].
 */
export type Pair = readonly [re: number, im: number];

function copySign(magnitude: number, sign: number): number {
  return sign < 0 || Object.is(sign, -0) ? -Math.abs(magnitude) : Math.abs(magnitude);
}

export function sqrtPair([x, y]: Pair): Pair {
  if (x === 0 && y === 0) return [0, y];
  // Scaling by a quarter keeps hypot away from overflow.
  const scale = Math.max(Math.abs(x), Math.abs(y)) > 1e300 ? 0.25 : 1;
  const t = Math.sqrt((Math.abs(x * scale) + Math.hypot(x * scale, y * scale)) / 2) / Math.sqrt(scale);
  if (x >= 0) return [t, y / (2 * t)];
  return [Math.abs(y) / (2 * t), copySign(t, y)];
}

export function logPair([x, y]: Pair): Pair {
  const h = Math.hypot(x, y);
  const big = Math.max(Math.abs(x), Math.abs(y));
  const small = Math.min(Math.abs(x), Math.abs(y));
  // Near the unit circle the logarithm of the modulus would cancel.
  const modulus =
    h > 0.5 && h < 3 ? Math.log1p((big - 1) * (big + 1) + small * small) / 2 : logOfHypot(big, small, h);
  return [modulus, Math.atan2(y, x)];
}

function logOfHypot(big: number, small: number, h: number): number {
  return h === Infinity && big !== Infinity
    ? Math.log(big) + Math.log1p((small / big) ** 2) / 2
    : Math.log(h);
}

export function expPair([x, y]: Pair): Pair {
  const r = Math.exp(x);
  return y === 0 ? [r, y] : [r * Math.cos(y), r * Math.sin(y)];
}

export function sinPair([x, y]: Pair): Pair {
  return [Math.sin(x) * Math.cosh(y), Math.cos(x) * Math.sinh(y)];
}

export function cosPair([x, y]: Pair): Pair {
  return [Math.cos(x) * Math.cosh(y), -(Math.sin(x) * Math.sinh(y))];
}

export function sinhPair([x, y]: Pair): Pair {
  return [Math.sinh(x) * Math.cos(y), Math.cosh(x) * Math.sin(y)];
}

export function coshPair([x, y]: Pair): Pair {
  return [Math.cosh(x) * Math.cos(y), Math.sinh(x) * Math.sin(y)];
}

export function tanhPair([x, y]: Pair): Pair {
  if (Math.abs(x) > 20) return [copySign(1, x), 4 * Math.sin(y) * Math.cos(y) * Math.exp(-2 * Math.abs(x))];
  const t = Math.tan(y);
  const beta = 1 + t * t;
  const s = Math.sinh(x);
  const rho = Math.sqrt(1 + s * s);
  const d = 1 + beta * s * s;
  return [(beta * rho * s) / d, t / d];
}

export function tanPair([x, y]: Pair): Pair {
  const [u, v] = tanhPair([-y, x]);
  return [v, -u];
}

function asinFrom(x: number, minus: Pair, plus: Pair): Pair {
  const [a, b] = minus;
  const [c, d] = plus;
  return [Math.atan2(x, a * c - b * d), Math.asinh(a * d - b * c)];
}

function acosFrom(minus: Pair, plus: Pair): Pair {
  const [a, b] = minus;
  const [c, d] = plus;
  return [2 * Math.atan2(a, c), Math.asinh(c * b - d * a)];
}

export function asinPair([x, y]: Pair): Pair {
  if (y === 0 && Math.abs(x) > 1) return asinOfReal(x);
  return asinFrom(x, sqrtPair([1 - x, -y]), sqrtPair([1 + x, y]));
}

export function acosPair([x, y]: Pair): Pair {
  if (y === 0 && Math.abs(x) > 1) return acosOfReal(x);
  return acosFrom(sqrtPair([1 - x, -y]), sqrtPair([1 + x, y]));
}

/** ASIN of a real outside -1 … 1: a real has no sign of zero in its imaginary part, so 1 - x keeps a positive one. */
export function asinOfReal(x: number): Pair {
  return asinFrom(x, sqrtPair([1 - x, 0]), sqrtPair([1 + x, 0]));
}

/** ACOS of a real outside -1 … 1. */
export function acosOfReal(x: number): Pair {
  return acosFrom(sqrtPair([1 - x, 0]), sqrtPair([1 + x, 0]));
}

export function asinhPair([x, y]: Pair): Pair {
  const [u, v] = asinPair([-y, x]);
  return [v, -u];
}

export function acoshPair([x, y]: Pair): Pair {
  const [a, b] = sqrtPair([x - 1, y]);
  const [c, d] = sqrtPair([x + 1, y]);
  return [Math.asinh(a * c + b * d), 2 * Math.atan2(b, c)];
}

export function atanhPair([x, y]: Pair): Pair {
  const re = Math.log1p((4 * x) / ((1 - x) ** 2 + y * y)) / 4;
  return [re, Math.atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2];
}

export function atanPair([x, y]: Pair): Pair {
  const [u, v] = atanhPair([-y, x]);
  return [v, -u];
}

export function multiplyPair([a, b]: Pair, [c, d]: Pair): Pair {
  return [a * c - b * d, a * d + b * c];
}

export function dividePair([a, b]: Pair, [c, d]: Pair): Pair {
  if (Math.abs(c) >= Math.abs(d)) {
    const r = d / c;
    const s = c + d * r;
    return [(a + b * r) / s, (b - a * r) / s];
  }
  const r = c / d;
  const s = c * r + d;
  return [(a * r + b) / s, (b * r - a) / s];
}
