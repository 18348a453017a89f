package serverinstall_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

// Every recipe names each file that is fetched, with its checksum, or is marked as not pinned.
func TestRecipes_Pinned(t *testing.T) {
	names := map[string]bool{}
	total := 0
	for _, r := range serverinstall.Recipes() {
		if names[r.Name] || len(r.Servers) == 0 || len(r.Languages) == 0 || len(r.Programs) == 0 || r.Package == "" || (r.Version == "") != (r.Client == serverinstall.Rustup) {
			t.Errorf("the recipe %+v is incomplete, or its name is not unique", r)
		}
		names[r.Name] = true
		if r.Unpinned != (r.Client == serverinstall.Gem) || r.Unpinned != strings.Contains(r.Check(), "NOT PINNED") {
			t.Errorf("%s: Unpinned is %v: %s", r.Name, r.Unpinned, r.Check())
		}
		switch r.Client {
		case serverinstall.NPM:
			lock, err := serverinstall.EmbeddedLock(r)
			must(t, err)
			total += len(lock)
			checkLock(t, r, lock)
		case serverinstall.Pip:
			text, err := serverinstall.EmbeddedRequirements(r)
			must(t, err)
			if !strings.HasPrefix(string(text), r.Package+"=="+r.Version+" \\\n") || !regexp.MustCompile(`(?m)^    --hash=sha256:[0-9a-f]{64}( \\)?$`).Match(text) || strings.Count(string(text), "==") != 1 {
				t.Errorf("%s: the requirements are\n%s", r.Name, text)
			}
		case serverinstall.Go:
			if !regexp.MustCompile(`^h1:[A-Za-z0-9+/]{43}=$`).MatchString(serverinstall.Sum(r)) {
				t.Errorf("%s: the hash is %q", r.Name, serverinstall.Sum(r))
			}
		}
	}
	if total > 150_000 {
		t.Errorf("the lock files have %d bytes", total)
	}
}

// checkLock checks that each package of a lock file has a checksum and no address, and that the server has the version of the recipe.
func checkLock(t *testing.T, r serverinstall.Recipe, lock []byte) {
	t.Helper()
	var content struct {
		LockfileVersion int
		Packages        map[string]struct {
			Version, Integrity, Resolved string
			Dependencies                 map[string]string
			Bin                          map[string]string
		}
	}
	must(t, json.Unmarshal(lock, &content))
	for name, p := range content.Packages {
		if name == "" {
			continue
		}
		if !strings.HasPrefix(p.Integrity, "sha512-") || p.Resolved != "" || p.Version == "" {
			t.Errorf("%s: the package %s has the checksum %q and the address %q", r.Name, name, p.Integrity, p.Resolved)
		}
	}
	server := content.Packages["node_modules/"+r.Package]
	if content.LockfileVersion != 3 || content.Packages[""].Dependencies[r.Package] != r.Version || server.Version != r.Version {
		t.Errorf("%s: the lock file has version %q", r.Name, server.Version)
	}
	for _, program := range r.Programs {
		if server.Bin[program] == "" {
			t.Errorf("%s: the package has no program %s", r.Name, program)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"pyright": "pyright", "python": "pyright", "py": "pyright", "json": "vscode-langservers-extracted", "css": "vscode-langservers-extracted", "scss": "vscode-langservers-extracted",
		"bash": "bash-language-server", "go": "gopls", "ruff": "ruff", "typescript": "typescript-language-server", "rust": "rust-analyzer", "ruby": "ruby-lsp",
	} {
		if r, err := serverinstall.Find(name); err != nil || r.Name != want {
			t.Errorf("Find of %q returned %q, %v", name, r.Name, err)
		}
	}
	for name, want := range map[string]string{"pyrigth": `did you mean "pyright"?`, "cobol-74": "no server is known", "": "no server is known", "../x": "no server is known"} {
		if _, err := serverinstall.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find of %q: %v", name, err)
		}
	}
}

// No word selects two recipes as a name of one and an alias of another.
func TestFind_Unambiguous(t *testing.T) {
	for _, r := range serverinstall.Recipes() {
		for _, name := range slices.Concat([]string{r.Name}, r.Servers) {
			if found, err := serverinstall.Find(name); err != nil || found.Name != r.Name {
				t.Errorf("Find of %q returned %q, %v", name, found.Name, err)
			}
		}
	}
}
