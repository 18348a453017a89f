// Package config reads the settings of a server from a table of typed keys. The sources are, in ascending precedence: the
// defaults, a file, the environment, and the flags of the command line.
//
// A [Table] holds the keys. Each source becomes a [Layer], and [Table.Load] combines the layers into a [Loaded] configuration,
// which is always valid. A [Watcher] reports changes of the file.
//
// No input ends the program. All problems of all sources are found at once. Each names its location, the received value and the
// allowed values. The last source with a key decides. If its value is invalid, the default is used and not the value of an
// earlier source, so that a typing error never restores a value that the user has replaced.
//
// A file can come with the project, and its author is not trusted ([Layer.OfProject]). Its values are used if they narrow the
// configuration of the other sources, for example to fewer tools. Other values need the approval of the user; until then the
// key has the value of the other sources.
//
// The names of environment variables and flags, a JSON Schema of the file, the file with all defaults, and the reference are
// derived from the keys.
package config
