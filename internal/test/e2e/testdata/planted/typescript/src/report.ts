import { Item, label } from "./item";

export function report(items: Item[]): string {
  return items.map((item) => label(item)).join("\n");
}
