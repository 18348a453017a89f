package editor

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/source"
)

// doubtful is a parser of an added language, in which each text has an error.
type doubtful struct{}

func (doubtful) Name() string                 { return "doubtful" }
func (doubtful) Languages() []source.Language { return []source.Language{"doubtful"} }
func (doubtful) Definitions() []source.Definition {
	return []source.Definition{{Language: "doubtful", Extensions: []string{".doubt"}}}
}

func (doubtful) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	b.Problem("nothing is certain", 0)
	return b.File("doubtful"), nil
}

// Diagnostics have the errors that an additional parser finds.
func TestOptions_Parsers(t *testing.T) {
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{"a.doubt": "x\n"})
	extended := apptest.Program(func() *app.App {
		return newApp(func() []string { return nil }, Options{Parsers: func() []source.Parser { return []source.Parser{doubtful{}} }})
	})
	_, out, errs := extended.Run(t, "call", "-root", dir, "get_diagnostics", `{"path":"a.doubt"}`)
	if apptest.Contains(t, out, "nothing is certain", "doubtful"); t.Failed() {
		t.Log(errs)
	}
}
