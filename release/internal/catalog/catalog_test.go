package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/release/internal/catalog"
)

// The catalog contains the programs of the examples that use tools/app.
func TestAll_Examples(t *testing.T) {
	var names []string
	for _, p := range catalog.All() {
		names = append(names, p.Name)
		if _, err := os.Stat(filepath.Join("../../../examples", p.Name, "main.go")); err != nil || len(p.About) > 100 || p.Setting.Flag == "" {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("%v", names)
	}
	if some, unknown := catalog.Named("editor", "none"); len(some) != 1 || !slices.Equal(unknown, []string{"none"}) {
		t.Errorf("%v, %v", some, unknown)
	}
	if all, unknown := catalog.Named(); len(all) != len(names) || len(unknown) > 0 {
		t.Errorf("%v, %v", all, unknown)
	}
}
