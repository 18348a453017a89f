package uses_test

import "testing"

func TestFind_TypeScriptMethod(t *testing.T) {
	checkUses(t, "add", texts{
		"tsconfig.json": "{\n  // comment\n  \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@app/*\": [\"src/*\"],}},\n}\n",
		"src/cart.ts": `
export interface Adder { add(name: string): void }
export class Base implements Adder {
  items: Item[] = [];
  log = new Log();
  constructor(private readonly other: Cart, public more?: Map<string, Cart>) {}
  add(name: string): void {}
  run() {
    this.add("base"); //P
    this.other.add("property"); //R
  }
}
export class Cart extends Base {
  add(name: string): void { super.add("super"); } //T
  again() {
    this.add("this"); //R
    this.more!.get("x")?.add("map"); //R
    this.log.add("another type");
  }
  static create(): Cart { return new Cart(null as any); }
  static async load(): Promise<Cart> { return Cart.create(); }
}
export class Log { add(name: string) {} }
export class Item { constructor(public owner: Cart) {} }
export const make = () => Cart.create();
export default Cart;
`,
		"src/index.ts": "export * from './cart.js';\nexport { Cart as Basket } from './cart';\nexport * as all from './cart';\n",
		"main.ts": `
import Default, { make, Log } from "@app/cart";
import { Basket, all, Item, Adder } from "./src";
import * as ns from "./src/cart";

async function main(given: Basket, l: Log, list: Basket[], a: Adder, u: unknown) {
  given.add("parameter"); //R
  l.add("another type");
  make().add("inferred result"); //R
  (await Default.load()).add("promise"); //R
  const loaded = await ns.Cart.load();
  loaded.add("awaited"); //R
  const again = new all.Cart(given);
  again.add("namespace"); //R
  for (const one of list) one.add("loop"); //R
  list.forEach(one => one.add("callback")); //R
  list.filter(Boolean).map((one) => { one.add("block"); }); //R
  const { owner: mine } = new Item(given);
  mine.add("destructured"); //R
  a.add("interface"); //P
  (u as Basket).add("cast"); //R
  const set = new Set<string>();
  set.add("external");
  { const given = l; given.add("shadow"); }
  each(c => c.add("typed callback")); //R
  const fn = function (this: any, c: Basket) { return c; };
  fn(given).add("function expression"); //R
  unresolved(given).add("external");
  const odd: any = 1;
  odd.add("any"); //U
}
function each(f: (c: Basket) => void) {}
`,
	})
}

func TestFind_TypeScriptFunction(t *testing.T) {
	checkUses(t, "open", texts{
		"package.json":             "{\"name\": \"root\"}",
		"packages/a/package.json":  "{\"name\": \"@x/a\"}",
		"packages/a/src/index.ts":  "export { open } from \"./open\";\n",
		"packages/a/src/open.ts":   "export function open() {} //T\nopen(); //R\nfunction other() { const open = 1; return open; }\n",
		"packages/b/src/main.ts":   "import { open as start } from \"@x/a\";\nimport * as a from \"@x/a\";\nimport { open } from \"fs\";\nstart();\na.open(); //R\nopen();\nconst o = { open };\nconst text = `${a.open()}`; //R\n",
		"packages/b/src/common.js": "const { open } = require(\"@x/a\");\nopen(); //R\nconst re = /open\\(/;\n",
		"packages/b/src/object.ts": "export const api = { open() { return 1 }, close: () => api.open() };\napi.open();\n",
	})
}

func TestFind_TypeScriptObject(t *testing.T) {
	checkUses(t, "string", texts{
		"z.ts":     "class Str { min() { return this } }\nfunction create(): Str { return new Str() }\nexport const string = create; //T\n",
		"main.ts":  "import * as z from \"./z\";\nimport { other } from \"./other\";\nz.string(); //R\nother.string();\n",
		"other.ts": "export const other = {\n  string: () => 1,\n};\n",
	})
}
