package editor

import "time"

// WithSearchTime returns options with another limit of the search for a name in the files of the project.
func WithSearchTime(o Options, d time.Duration) Options {
	o.searchTime = d
	return o
}

// WithReferencesTime returns options with another limit of the search of a language server for references, and of its rename.
func WithReferencesTime(o Options, d time.Duration) Options {
	o.referencesTime = d
	return o
}
