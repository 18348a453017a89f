// Package config reads the settings of a server from a table of typed keys: first
// their defaults, then a file, the environment and the flags of the command line,
// each before what comes after it.
//
// Nothing that a person can write ends a program. Every problem of every source
// is found at once and named with its place, with what was received, and with
// what is allowed. Of the sources that have a key the last one decides: when its
// value is not allowed the default is used, not the value of a source before it,
// so that a slip never brings back what somebody meant to replace.
//
// Names of environment variables and flags follow from the keys, and so does a
// JSON Schema of the file, the file with all defaults, and the reference.
package config
