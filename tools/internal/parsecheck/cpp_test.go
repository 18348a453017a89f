package parsecheck_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestCPP(t *testing.T) {
	t.Parallel()
	clike(t, source.CPP, []string{"leveldb", "re2", "fmtlib", "googletest", "abseil", "rocksdb"}, []string{".cc", ".cpp", ".hpp", ".hh", ".h", ".cxx"},
		"function", "class", "struct", "union", "enum", "typedef")
}
