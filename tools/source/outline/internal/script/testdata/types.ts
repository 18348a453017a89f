// What looks like code where types stand, and types where code stands.
interface Shape<in out T, const U = any> extends Base<T>, Other {
  (x: number): string;
  new <T>(x: T): Shape<T, T>;
  readonly [index: number]: { a(): void; b: string };
  readonly name: string, get: number
  get area(): number
  set area(value: number)
  get(): void
  new: string
  method?<K extends string>(this: Window, { a, ...rest }: { a: 1 }, ...args: [first: K, second?: number]): asserts args is any
  call: (callback: (error: Error | null) => void) => { inner(): void }
  [Symbol.iterator](): Iterator<T>
  "quoted-name": 1;
}

type Mapped<T> = { readonly [K in keyof T as `get${Capitalize<K & string>}`]-?: () => T[K] } & { extra(): void; more: string };
type Conditional<T> = T extends (infer U extends string)[] ? U extends `${infer Head}-${infer _}` ? { head: Head } : never : T extends abstract new (...args: any) => infer R ? R : { no(): void };
type Shape2 =
  | { kind: "circle"; radius: number }
  | { kind: "square"; side(): number }
type Elements = { not: string }[] | ({ notEither(): void }); type Key = { nor: 1 }['nor']; type Cond = { no: 1 } extends X ? { no: 2 } : { no: 3 }
type F = <T>(a: T, b?: (c: T) => T) => a is T & string
type G = new (...args: ConstructorParameters<typeof Shape>) => typeof import("./shape", { with: { "resolution-mode": "import" } }).Shape<string>
type H = keyof typeof value["a"]["b"][]
type I = unique symbol; type J = readonly string[]; type K = asserts
let type = 1, of: type
type
of = 2
declare function over(a: string): string
declare function over(a: number): number;
export function over(a: any): any { return a }
function assertIsString(val: any): asserts val is string {}
declare const conf: { f(): void, g: () => void }, last: <T>(x: T) => T;
let a = b as unknown as { x(): void } | (() => void), c = <any>d, e = f!, g = h satisfies I;
const after = 1 as const
const tuple: [a: string, b?: () => void, ...c: (() => {})[]] = [1]
abstract class Abstract { abstract x: string; abstract y(): void }
declare global { interface Window { z: () => void } var w: string }
declare module "a-module" { export function inModule(): void; export default x; export { y as default } }
declare module "short";
namespace A.B.C { export const n = 1; namespace D { function inner() {} } }
export = A;
export as namespace Lib;
enum Color { Red = 1 << 2, "dark green" = "x".length, Blue = (() => 3)(), }
declare const enum Flags { A, B = A | 2 }
