package document

import "github.com/dougu-go/dougu/tools/source"

// revision changes whenever Cut splits the same content differently than before.
const revision = "2"

// Version returns the File.Version that Cut sets for a language. Files that were indexed with another version must be indexed
// again.
func Version(language string, parsers *source.Parsers) string {
	if lang := source.Language(language); parsers != nil && parsers.Supports(lang) {
		return revision + " " + parsers.Fingerprint(lang)
	}
	return revision
}
