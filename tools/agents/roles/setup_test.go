package roles_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/roles"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// writeSettings writes a settings file and returns its path.
func writeSettings(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kuromajutsu.config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func openDocument(t testing.TB, path string) *roles.Book {
	t.Helper()
	b, err := roles.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func textOf(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func role(t testing.TB, b *roles.Book, id string) roles.Role {
	t.Helper()
	r, ok := b.Role(id)
	if !ok {
		t.Fatalf("there is no role %s", id)
	}
	return r
}
