export interface Item {
  name: string;
  cents: number;
}

export function label(item: Item, count: number): string {
  return `${count} x ${item.name}`;
}
