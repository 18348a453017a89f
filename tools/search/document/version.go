package document

import "github.com/dougu-go/dougu/tools/source"

// revision is raised when other pieces are made of the same content than before.
const revision = "2"

// Version is that of the Files that Cut makes of a language: what was indexed with
// another one is to be cut again.
func Version(language string, parsers *source.Parsers) string {
	if lang := source.Language(language); parsers != nil && parsers.Knows(lang) {
		return revision + " " + parsers.Fingerprint(lang)
	}
	return revision
}
