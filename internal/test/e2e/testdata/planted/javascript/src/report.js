import { label } from "./item.js";

/** @param {import("./item.js").Item[]} items */
export function report(items) {
  return items.map((item) => label(item)).join("\n");
}
