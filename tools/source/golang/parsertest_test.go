package golang_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

func TestParser(t *testing.T) {
	parsertest.Run(t, golang.Parser{}, []parsertest.Sample{
		{Language: source.Go, Source: "package p\n\n// F is a function.\nfunc F() int { return 1 }\n\ntype T struct{ n int }\n\nfunc (t *T) M() { F() }\n", Want: []string{"p", "F", "T", "T.n", "T.M"}},
		{Name: "broken", Language: source.Go, Source: "package p\n\nfunc F() {\n", Broken: true},
	})
}
