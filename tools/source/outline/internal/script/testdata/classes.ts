// Every kind of member that a class can have.
import { Base } from "./base";
import type { Log } from "../log";

/** A stack. */
@sealed
@Component({ selector: "a", template: `<b>${(() => { class Hidden {} return 1; })()}</b>` })
export abstract class Stack<T extends { [key: string]: unknown } = {}> extends mixin(Base, class { inner() {} })<T> implements A.B<T>, C {
  static #count = 0;
  readonly [key: string]: unknown;
  declare name: string
  accessor size: number = 1
  static
  async
  declare;
  static async = 1;
  static { function setup() {} setup(); }

  constructor(private readonly items: T[], public other?: string, plain = (a: number) => a, @Inject() protected log?: Log) {
    super();
  }

  /* two comments: */
  // the second of them documents, with the first
  @log() @bound public static override async *walk<K extends keyof T>(this: Stack<T>, key: K): AsyncGenerator<T[K]> {
    for await (const x of this) yield* x;
  }

  // a comment that documents nothing

  push(item: T): void;
  push(items: T[]): void;
  push(item: T | T[]): void { this.items.push(item as T); }

  get top(): T { return this.items[0]; }
  set top(value: T) { this.items[0] = value }
  abstract get bottom(): T
  abstract drop?(n: number): (a: string) => void;
  get(key: string) { return key; }
  set = 1;
  static get static() { return 1 }
  #hidden(): asserts this is Stack<T> {}
  [Symbol.iterator]() {}
  ["computed" + 1]: number = 2
  'quoted name'() {}
  42() {}
  if() {} else() {} class() {}
  handler = async (e: Event): Promise<void> => {
    const local = () => 1;
  }
  generic = <U,>(u: U): u is U => true; Inner = class Named { deep() {} };
  bound = this.push.bind(this)
  optional?: () => void = undefined
  definite!: Map<string, Array<() => void>>
  static readonly parse = function parseIt(s: string) { return s } as Parser
}

class Empty {}
const Anonymous = class { m() {} }
const made = () => class Made extends Empty { n() {} };
export default class { o() {} }
