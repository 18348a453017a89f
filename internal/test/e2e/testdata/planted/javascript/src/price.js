/** @param {import("./item.js").Item[]} items */
export function total(items) {
  /** @type {number} */
  const sum = "0";
  return items.reduce((all, item) => all + item.cents, sum);
}
