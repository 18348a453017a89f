package unity

import "time"

// PollEvery has the tools ask Unity that often.
func PollEvery(t *Tools, pause time.Duration) { t.poll = pause }

// NameOf are the class and the method of a full name.
var NameOf = nameOf

// QuoteCSharp is a string as C# has it.
var QuoteCSharp = quoteCSharp

// EntriesOf decodes a page of the console.
var EntriesOf = entriesOf

// Listed are entries as the tools list them.
func (t *Tools) Listed(entries []entry) []ConsoleEntry {
	var all []ConsoleEntry
	for i := range entries {
		all = append(all, t.listed(&entries[i], true))
	}
	return all
}
