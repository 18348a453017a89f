package document

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
)

// component parses the scripts of a Vue, Svelte or Astro component. The rest of the text is replaced with blanks, so that
// positions stay valid. It returns nil without scripts, or if they cannot be parsed.
func component(ctx context.Context, text []byte, parsers *source.Parsers) *source.File {
	if parsers == nil {
		return nil
	}
	script := bytes.Clone(text)
	lang, found, at := source.JavaScript, false, 0
	for {
		start, end, typed := nextScript(text, at)
		blankOut(script[at:start])
		if start == len(text) {
			break
		}
		if found = true; typed {
			lang = source.TypeScript
		}
		at = end
	}
	if !found || !parsers.Supports(lang) {
		return nil
	}
	read, err := parsers.Parse(ctx, script, lang, source.Options{})
	if err != nil {
		return nil
	}
	return read
}

// nextScript returns the range of the next script from offset at, and whether it is TypeScript. Without a script it returns the
// end of the text twice.
func nextScript(text []byte, at int) (start, end int, typed bool) {
	if open := []byte("---\n"); at == 0 && bytes.HasPrefix(text, open) { // Astro
		if end := bytes.Index(text[len(open):], []byte("\n---")); end >= 0 {
			return len(open), len(open) + end, true
		}
	}
	i := bytes.Index(text[at:], []byte("<script"))
	if i < 0 {
		return len(text), len(text), false
	}
	tag := text[at+i:]
	shut := bytes.IndexByte(tag, '>')
	stop := bytes.Index(tag, []byte("</script"))
	if shut < 0 || stop < shut {
		return len(text), len(text), false
	}
	typed = bytes.Contains(tag[:shut], []byte(`"ts`)) || bytes.Contains(tag[:shut], []byte("'ts"))
	return at + i + shut + 1, at + i + stop, typed
}

// blankOut replaces all bytes except line feeds with spaces.
func blankOut(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}
