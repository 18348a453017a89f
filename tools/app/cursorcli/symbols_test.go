package cursorcli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/editor"
)

func TestSymbols_Profiles(t *testing.T) {
	for _, profile := range []string{profileEditor, profileCoding, profileBeside, profileAll} {
		s := serve(t, nil, sources{quiet: true, flags: []string{"-profile", profile, "-symbols"}})
		apptest.Must(t, os.WriteFile(filepath.Join(s.dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
		allowed := *s.service.allowed.Load()
		if len(allowed) > maxTools {
			t.Errorf("%s has %d tools", profile, len(allowed))
		}
		for _, name := range editor.SymbolTools() {
			if !slices.Contains(allowed, name) && !replacedBySymbols(profile, name) {
				t.Errorf("%s does not have %s", profile, name)
			}
		}
		if slices.Contains(allowed, "replace_function_chunk") {
			t.Errorf("%s has two tools that replace functions", profile)
		}
		if without := *serve(t, nil, sources{quiet: true, flags: []string{"-profile", profile}}).service.allowed.Load(); slices.Contains(without, "find_symbol") {
			t.Errorf("%s has find_symbol without the flag", profile)
		}
		apptest.Contains(t, s.call(t.Context(), "find_symbol", map[string]any{"symbol": "main"}), "main.go#main [function, 3-3] func main()")
	}
}

func TestSymbols_OtherProfiles(t *testing.T) {
	for _, profile := range []string{profileFull, profileStrict, profileOrchestrator} {
		if v, _, err := open(t, t.TempDir(), sources{quiet: true, flags: []string{"-profile", profile, "-symbols"}}); err == nil {
			t.Errorf("%s accepts the flag: %v", profile, v.close(t.Context()))
		}
	}
}
