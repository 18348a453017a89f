package mcptest

// FirstDifference shows where two texts differ.
var FirstDifference = firstDifference

// Rejoined takes an archive apart and puts it together again; names are those of
// its sections.
func Rejoined(text string) (again string, names []string) {
	all := sections(text)
	for _, s := range all[1:] {
		names = append(names, s.name)
	}
	return archive(all), names
}
