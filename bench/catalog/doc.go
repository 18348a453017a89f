// Package catalog holds what every measured server serves: the arguments and
// results of its tools, what the tools compute, and the tools that only fill
// the list. The servers differ in the library that carries a call to these
// functions and in nothing else, and the driver knows from here what a right
// answer is.
package catalog
