import { Item } from "./item";

export function total(items: Item[]): number {
  const sum: number = "0";
  return items.reduce((all, item) => all + item.cents, sum);
}
