package chunks

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/source"
)

// lineParser is a parser of an added language, in which each line is the name of a function. closed counts its calls of Close.
type lineParser struct{ closed *int }

var _ io.Closer = lineParser{}

func (lineParser) Name() string                 { return "lines" }
func (lineParser) Languages() []source.Language { return []source.Language{"lines"} }
func (lineParser) Definitions() []source.Definition {
	return []source.Definition{{Language: "lines", Aliases: []string{"li"}, Extensions: []string{".lines"}}}
}

func (p lineParser) Close() error {
	*p.closed++
	return nil
}

func (lineParser) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	at := 0
	for line := range strings.Lines(string(src)) {
		b.Add(source.Chunk{Kind: source.Function, Name: strings.TrimSpace(line), Parent: -1, Decl: int32(at), Ident: int32(at), End: int32(at + len(line))})
		at += len(line)
	}
	return b.File("lines"), nil
}

// Commands, flags and the doctor know the language of an additional parser.
func TestOptions_Parsers(t *testing.T) {
	dir := newProject(t)
	apptest.Write(t, dir, map[string]string{"names.lines": "alpha\nbeta\n"})
	opened, closed := 0, 0
	options := Options{Parsers: func() []source.Parser {
		opened++
		return []source.Parser{lineParser{&closed}}
	}}
	extended := apptest.Program(func() *app.App { return New(options) })
	apptest.Contains(t, extended.MustRun(t, "show", "-root", dir, "names.lines"), "names.lines#beta", "which is lines, read by lines")
	apptest.Contains(t, extended.MustRun(t, "index", "-root", dir, "-languages", "li, py"), "3 functions (3 declarations) in 2 files", "lines 1, python 1")
	extended.MustFail(t, 1, "choose from swift", "index", "-root", dir, "-languages", "cobol")
	extended.MustFail(t, 1, ", lines", "index", "-root", dir, "-languages", "cobol")
	doctor, out := New(options), new(apptest.Output)
	doctor.Stdin, doctor.Stdout, doctor.Stderr = strings.NewReader(""), out, new(apptest.Output)
	doctor.Environment = emptyMachine(t.TempDir())
	doctor.Run(t.Context(), []string{"doctor", "-root", dir})
	apptest.Contains(t, out.String(), "languages: all ")
	if opened == 0 || opened != closed {
		t.Errorf("parsers were made %d times, and closed %d times", opened, closed)
	}
}
