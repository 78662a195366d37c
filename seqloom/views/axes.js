// From numbers to places on a line, and the round numbers worth marking there.

/** A scale from numbers to places: {at(number), ticks, log}. */
export function scaleBetween(numbers, { log = false, from = 0, to = 1, wanted = 5, zero = false } = {}) {
  const usable = numbers.filter((number) => Number.isFinite(number) && (!log || number > 0));
  let low = Math.min(...usable, ...(zero ? [0] : []));
  let high = Math.max(...usable, ...(zero ? [0] : []));
  if (!(low <= high)) [low, high] = log ? [1, 10] : [0, 1]; // nothing to show
  const half = (Math.abs(low) || 1) / 2;
  if (low === high) [low, high] = log ? [low / 2, low * 2] : [low - half, low + half]; // a single number
  const bend = log ? Math.log10 : (number) => number;
  const at = (number) => from + ((bend(number) - bend(low)) / (bend(high) - bend(low))) * (to - from);
  const marks = log ? logTicks(low, high, wanted) : linearTicks(low, high, wanted);
  return { at, ticks: marks.filter((tick) => tick >= low && tick <= high), log, low, high };
}

/** The same, widened so that both ends are round. */
export function roundScale(numbers, options) {
  const tight = scaleBetween(numbers, options);
  if (options.log && tight.high / tight.low < 100) return tight;
  const power = (number, round) => 10 ** round(Math.log10(number));
  if (options.log) return scaleBetween([power(tight.low, Math.floor), power(tight.high, Math.ceil)], options);
  const step = stepFor(tight.low, tight.high, options.wanted ?? 5);
  return scaleBetween([Math.floor(tight.low / step) * step, Math.ceil(tight.high / step) * step], options);
}

function stepFor(low, high, wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999);
}

function linearTicks(low, high, wanted) {
  const step = stepFor(low, high, wanted);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

function logTicks(low, high, wanted) {
  const decades = Math.log10(high / low);
  const factors = decades < 1.2 ? [1, 2, 3, 5, 7] : decades < 3 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / wanted));
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += stride) {
    for (const factor of factors) ticks.push(Number((factor * 10 ** power).toPrecision(12)));
  }
  return ticks;
}

/** A number beside an axis: short, with a true minus. */
export function axisNumber(number) {
  const size = Math.abs(number);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) {
    const power = Math.floor(Math.log10(size) + 1e-9);
    const head = Number((number / 10 ** power).toPrecision(3));
    const raised = String(power).replace(/./g, (digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]));
    return (head === 1 ? "" : `${head}·`).replace("-", "−") + `10${raised}`;
  }
  return number.toLocaleString("en", { maximumSignificantDigits: 4 }).replace("-", "−");
}
