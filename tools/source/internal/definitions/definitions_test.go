package definitions_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/internal/definitions"
)

func TestDefinitions_Complete(t *testing.T) {
	for _, d := range []source.Definition{definitions.Dart(), definitions.Shell()} {
		if d.Language == "" || len(d.Extensions) == 0 || len(d.Signs) == 0 || len(d.Syntax.LineComments) == 0 || !slices.IsSorted(d.Syntax.Keywords) {
			t.Errorf("%+v", d)
		}
	}
}
