// A "<" that compares, and one that does not; a "(" that is called, and one that
// begins a function.
const less = a < b && c > d;
const shifted = a << b >> c >>> d, small = i < 10 || j > (k);
const called = f<string, Array<Map<A, B>>>(x), tagged = f<T>`a${b}`, made = new Map<string, () => void>(), bare = f<T>;
const two = f(a < b, c > d)
for (let i = 0; i < n; i++) { if (a < b) { while (x < y(z)) {} } }
const arrow = <T extends object = {}>(x: T): x is T => !!x;
const assertion = <T>(x), asserted = <() => void>function () {};
const nested = (a: number): ((b: string) => void) => (b) => {};
const destructured = ({ a, b: { c = () => 1 } = {} }: Props = {}, [d, ...e]: string[]): { ok: boolean } => ({ ok: true })
const ternary = a ? (b) : c => d;
const ternary2 = a ? (b): c => d : e;
const ternary3 = a ? (b, c) : (d);
const ternary4 = a ? b ? (c) : d : (e) => f;
const ternary5 = x ? y => ({ y }) : z => [z];
const optional = (a?, b?: string, ...c) => a?.b?.[0]?.(c) ?? .5 ? .1 : 2;
const asynchronous = async <T>(x: T) => await x, asynchronous2 = async x => x, call = async(x), asynchronous3 = async ({ a }, b = 1): Promise<void> => {}
const iife = (() => {})(), iife2 = (function named() {})(), bound = function () {}.bind(this);
const wrapped = (((x: number) => x)), cast = (() => {}) as F, cast2 = function () {} satisfies F
const chained = other.x = () => 1, either = a || (() => 1), comma = (a, () => 1)
const gen = function* () { const x = yield; yield /re/; yield* y; yield }, asyncGen = async function* inner() {}
function dec(this: Foo, a = <T,>(x: T) => x, { b } = { b() {} }): void {}
let x = y as any < z
using resource = open(); await using other2 = open()
var { one, two: [three, , four = () => 1], ...five } = obj, six = 6
function outer() { let value = 1; const local = () => { function deep() {} }; class Local { m = 1 } type T = 1 }
{ const inBlock = 1; function inBlockFunction() {} let lambdaInBlock = () => {} }
