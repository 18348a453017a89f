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
		"packages/b/src/main.ts":   "import { open as start } from \"@x/a\";\nimport * as a from \"@x/a\";\nimport { open } from \"fs\";\nstart(); //R\na.open(); //R\nopen();\nconst o = { open };\nconst text = `${a.open()}`; //R\n",
		"packages/b/src/common.js": "const { open } = require(\"@x/a\");\nopen(); //R\nconst re = /open\\(/;\n",
		"packages/b/src/object.ts": "export const api = { open() { return 1 }, close: () => api.open() };\napi.open();\n",
	}, "start")
}

func TestFind_TypeScriptObject(t *testing.T) {
	checkUses(t, "string", texts{
		"z.ts":     "class Str { min() { return this } }\nfunction create(): Str { return new Str() }\nexport const string = create; //T\n",
		"main.ts":  "import * as z from \"./z\";\nimport { other } from \"./other\";\nz.string(); //R\nother.string();\n",
		"other.ts": "export const other = {\n  string: () => 1,\n};\n",
	})
}

func TestFind_TypeScriptTypes(t *testing.T) {
	checkUses(t, "go", texts{"a.ts": `
import fs = require("fs");
abstract class Car<T = string> {
  #hidden = 1;
  static made: Car<number>;
  @decorated({ x: 1 }) next: Car | null = null;
  pair: [string, Car] = ["", this];
  record: Record<string, Car> = {};
  find: (name: string) => Car = () => this;
  get twin(): Car { return this; }
  go(): this { return this; } //T
  static { Car.made = new Other(); }
  [Symbol.iterator]() {}
}
class Other extends Car<number> {}
namespace Garage {
  export class Box<T> { constructor(public content: T) {} value(): T { return this.content } }
  export function first(): Car { return null! }
}
type Both = { car: Car; get(): Promise<Car>; list: readonly Car[] } & Extra;
type Extra = Partial<Wheel>;
interface Wheel { of: Car }
enum Color { Red }
declare function pick<T>(all: T[]): T;
declare function same<T>(one: T): T;
function* generate() { yield new Other(); }
async function later() { return new Other(); }
const { next, ...rest } = new Other();
const [head, second] = [new Other(), 1];
const either = Math.random() > 1 ? null : new Other();
const fallback = null ?? new Other();
const literal = { car: new Other(), make() { return this.car }, ["x"]: 1, "quoted": new Other(), ...{ spread: new Other() } };
export default class extends Car {}

async function use(b: Both, box: Garage.Box<Car>, m: Map<string, Car>, p: Promise<Car>, c: typeof head, o?: Car) {
  b.car.go(); //R
  (await b.get()).go(); //R
  b.list[0].go(); //R
  b.of.go(); //R
  box.value().go(); //R
  m.get("a")!.go(); //R
  for (const [key, car] of m) car.go(); //R
  for (const car of m.values()) car.go(); //R
  m.forEach((car) => car.go()); //R
  p.then((car) => car.go()); //R
  head.go(); //R
  c.go(); //R
  either.go(); //R
  fallback.go(); //R
  next.go(); //R
  literal.car.go(); //R
  literal.make().go(); //R
  literal["quoted"].go(); //R
  literal.spread.go(); //R
  Garage.first().go(); //R
  pick([new Other()]).go(); //R
  same(new Other()).go(); //R
  (await later()).go(); //R
  new Other().twin.go().go(); //R
  new Other().pair[1].go(); //R
  new Other().record["x"].go(); //R
  new Other().find("x").go(); //R
  o?.go(); //R
  Car.made.go(); //R
  (<Car>(fs as unknown)).go(); //R
  const self = function () { return new Other() };
  self().go(); //R
  switch (1) { case 1: { b.car.go(); } default: } //R
  try { o.go() } catch (e) { print(e); } //R
  const re = /go()[/]go/.exec(` + "`${o.go()} ${`nested`}`" + `); //R
  fs.go();
  const go = 1;
}
`})
}
