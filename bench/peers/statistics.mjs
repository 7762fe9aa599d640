// The few numbers that a series is told by.
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))];
}

export const median = (values) => quantile(values, 0.5);

// Of microseconds, rounded to what the clock can tell.
export function summary(values) {
  const round = (value) => Math.round(value * 10) / 10;
  return {
    runs: values.length,
    p50_us: round(quantile(values, 0.5)),
    p90_us: round(quantile(values, 0.9)),
    p99_us: round(quantile(values, 0.99)),
  };
}
