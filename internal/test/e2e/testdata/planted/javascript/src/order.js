/** @param {import("./item.js").Item[]} items */
export function first(items) {
  return itms[0];
}
