package parsecheck_test

import (
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// pythonCorpora are 25 MB: Python's library and other packages of Debian that are
// written in very different manners.
func pythonCorpora(t testing.TB) []project {
	var all []project
	for _, name := range []string{"libpython3.11-stdlib", "python3-django", "python3-numpy", "python3-sqlalchemy", "python3-tornado"} {
		all = append(all, sources(t, name, corpus.Debian(t, name), nil, ".py", ".pyi"))
	}
	return all
}

// TestPython compares functions, classes and named lambdas, local ones included, and the values
// that modules and classes assign to names. Tests of other versions than Python 3.11 are excluded.
func TestPython(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the interpreter takes 20 s")
	}
	interpreter := program(t, "python3", "python3")
	script, err := filepath.Abs("oracles/python.py")
	if err != nil {
		t.Fatal(err)
	}
	corpora := pythonCorpora(t)
	oracle := several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, interpreter, script)
	})
	t.Run("callables and types", func(t *testing.T) {
		got := parsed(t, outline.Parser{}, source.Python, corpora, parsecheck.Want{})
		parsecheck.Compare(part(oracle, false), got).Require(t, 99.5)
	})
	t.Run("values", func(t *testing.T) {
		got := parsed(t, outline.Parser{}, source.Python, corpora, parsecheck.Want{Chunk: valueChunk})
		parsecheck.Compare(part(oracle, true), got).Require(t, 99.5)
	})
}
