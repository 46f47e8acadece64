export type Sample = { labels?: Record<string, string>; value: number }
export type Metric = { name: string; help: string; samples: Sample[] }
