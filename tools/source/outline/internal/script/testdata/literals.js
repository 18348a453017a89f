#!/usr/bin/env node
// Strings, templates and regular expressions that hold what looks like code.
const a = "function no() {", b = 'it\'s \
function no() {', c = `function no() { ${ {a: `${"}"}`, f() { return `}` }}.f() } function no() {`;
const re = /[/\]"'`{(]\/function/gu, div = a / b / c, inc = a++ / 2, dec = (a) / 2, call = f() /2/ g, idx = a[0] /1/ 2
if (x) /re"/.test(y)
const arr = [/a/, /b"/, !/c'/], obj = { re: /d{/ }, fn = () => /e}/
return_: for (;;) { break return_ }
function r() { return /f(/ } /* function no() { */ function s() {} // function no() {
function t() { return typeof /g)/ }
x = y
/h/g.exec(z)
const tpl = tag`a${b}` / 2, num = 1..toString(), hex = 0xe+1, exp = 1e+3, big = 1_000n, oct = .5.toFixed()
const \u0061bc = 1, ünïcödé = 2, \u{62}c = () => 3; var $ = _ => _
a = b ? c : d ? e : f => g
let y = x
  ++
z
const html = '</script>'
  , comment = "/* not one */" // with a comment
export const documented = 1;
export { a as default, b as "string name" } from './other.js'
export * as ns from "ns"; export * from 'star'
import def, * as all from "all"; import "effect" with { type: "json" }; import { default as d2 } from "named"
const lazy = () => import("dynamic"), req = require("required"), not = other.require("not"), meta = import.meta.url
