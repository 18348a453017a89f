// What comes from a host or server has any shape. These look at it and believe nothing.

export type Members = Record<string, unknown>

export function members(v: unknown): Members | undefined {
  return v !== null && typeof v === 'object' && !Array.isArray(v) ? (v as Members) : undefined
}

/** The elements of an array, but no more than so many. */
export const items = (v: unknown, most: number): unknown[] => (Array.isArray(v) ? v.slice(0, most) : [])

export const number = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) && v > 0 ? v : 0)

export const string = (v: unknown): string => (typeof v === 'string' ? v : '')

export const strings = (v: unknown, most: number): string[] => items(v, most).filter((s): s is string => typeof s === 'string')
