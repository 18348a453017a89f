// Functions by way of properties and assignments.
exports.plain = function () { };
module.exports.arrow = async () => {
};
module.exports = function named() {}
module.exports = { shorthand, method() {}, async asyncMethod() {}, *generator() {}, async *both() {}, get prop() { return 1 }, set prop(v) {},
  get: 1, set: 2, async: 3, get() {}, 'quoted'() {}, [computed + "x"]() {}, 123() {},
  lambda: () => {}, fn: function inner() { function deep() {} }, value: call(() => {}), ["key"]: x => x, cls: class {}, async, ...spread,
  if: function () {}, new: y => y, nested: { deeper: { deepest() {} } }
}
Stack.prototype.push = function push(x) {
  this.handler = () => x
  var self = this, helper = function () {}
}
/** documented */
Stack.create = (a) => a, Stack.other = () => 1;
a.b.c.d = function () {} // trailing
  , 1;
foo = function () {};
foo[bar] = function () {};
foo.bar.call(function cb() { exports.inner = () => 1 })
foo.x = y.z = function () {}
foo.y += function notThis() {}
Object.defineProperty(x, "y", { get() { return 1 }, value: function () {} })
;(function () { function inIife() {} var notTop = 1; exports.inIife = inIife })()
!function () { var alsoNot = 1 }()
var top1 = exports.top1 = function () {}, top2
if (a) { var notTop2 = function () {} } else b.c = () => 2
for (const k of xs) x[k] = () => 1
for (var i = 0, f = () => 1; i < 3; i++) ;
label: for (const k in (a, b)) continue label
switch (x) { case 1: exports.one = () => 1; break; case (y): case z ? (q) : w: default: function inSwitch() {} }
try { function tried() {} } catch { function caught() {} } finally { function finallyDone() {} }
do x = () => 1; while (y) function afterDo() {}
async function top3() { await (async () => { for await (const x of y) {} })() }
var async; async
function notAsync() {}
let let_ = 1, { p, q: { r = function () {} } } = obj, [s, , t] = arr
get = set => static; var of, type, as, from
export default async () => { }
