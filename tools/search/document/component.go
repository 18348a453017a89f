package document

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
)

// component reads the scripts of a component of Vue, Svelte or Astro: everything else
// is blank to the parser, so that places stay what they are. It is nil if there are
// none, or they cannot be read.
func component(ctx context.Context, text []byte, parsers *source.Parsers) *source.File {
	if parsers == nil {
		return nil
	}
	script := bytes.Clone(text)
	lang, found, at := source.JavaScript, false, 0
	for {
		start, end, typed := scriptIn(text, at)
		blank(script[at:start])
		if start == len(text) {
			break
		}
		if found = true; typed {
			lang = source.TypeScript
		}
		at = end
	}
	if !found || !parsers.Knows(lang) {
		return nil
	}
	read, err := parsers.Parse(ctx, script, lang, source.Options{})
	if err != nil {
		return nil
	}
	return read
}

// scriptIn is where the next script begins and ends, or the end of the text, and
// whether it is TypeScript.
func scriptIn(text []byte, at int) (start, end int, typed bool) {
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

// blank makes a text white, line by line.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}
