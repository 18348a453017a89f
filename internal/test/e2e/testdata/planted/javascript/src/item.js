/** @typedef {{name: string, cents: number}} Item */

/**
 * @param {Item} item
 * @param {number} count
 */
export function label(item, count) {
  return `${count} x ${item.name}`;
}
