import { Item } from "./item";

export function first(items: Item[]): Item {
  return itms[0];
}
