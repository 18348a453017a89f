package corpus_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
)

func TestCorpora(t *testing.T) {
	lua := corpus.DebianSource(t, "lua5.4")
	if files := corpus.Files(t, lua, ".c", ".h"); len(files) < 50 {
		t.Errorf("the source of lua5.4 has %d files of C", len(files))
	}
	ruby := corpus.Debian(t, "libruby3.1")
	if files := corpus.Files(t, ruby, ".rb"); len(files) < 500 {
		t.Errorf("libruby3.1 has %d files of Ruby", len(files))
	}
}
