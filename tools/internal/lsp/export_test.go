package lsp

// Parsers of external data, for tests.
var (
	ParseWatches = parseWatches
	Section      = section
)

// Matches tells whether one of the watches wants a change.
func Matches(all []watch, path, rel string, change FileChange) bool {
	for _, w := range all {
		if w.matches(path, rel, change) {
			return true
		}
	}
	return false
}
