package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// installer runs the example editor in an empty project, with a home directory and a cache of its own.
type installer struct {
	t         *testing.T
	program   string
	dir, home string
	env       []string
}

func newInstaller(t *testing.T, env ...string) *installer {
	t.Helper()
	i := &installer{t: t, program: build(t, examples+"/editor"), dir: t.TempDir(), home: t.TempDir()}
	i.env = append(os.Environ(), "HOME="+i.home, "XDG_CACHE_HOME="+filepath.Join(i.home, "cache"), "LocalAppData="+filepath.Join(i.home, "cache"), "npm_config_cache="+filepath.Join(i.home, "npm"))
	i.env = append(i.env, env...)
	return i
}

// command returns a command of the program.
func (i *installer) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, i.program, args...)
	cmd.Dir, cmd.Env = i.dir, i.env
	return cmd
}

// run runs a command of the program, and returns its exit code and its output.
func (i *installer) run(args ...string) (code int, out string) {
	i.t.Helper()
	cmd := i.command(i.t.Context(), args...)
	data, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		i.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(data)
}

// forgingRegistry is a registry of npm that has every version of every package. Each one has the same content and its right checksum.
func forgingRegistry(t *testing.T, version string) *httptest.Server {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	const text = `{"name":"forged","version":"1.0.0"}`
	if err := w.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(b.Bytes())
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forged.tgz" {
			_, _ = w.Write(b.Bytes())
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "versions": map[string]any{version: map[string]any{
			"name": name, "version": version, "dist": map[string]string{"tarball": server.URL + "/forged.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])},
		}}})
	}))
	t.Cleanup(server.Close)
	return server
}

// A registry that serves another package than the pinned one is refused.
func TestInstallServer_ForgedPackage(t *testing.T) {
	t.Parallel()
	testrequire.Node(t, 18, "install Node.js with npm")
	i := newInstaller(t, "npm_config_registry="+forgingRegistry(t, "1.1.414").URL)
	code, out := i.run("install-server", "-yes", "python")
	if code != 1 || !strings.Contains(out, "EINTEGRITY") {
		t.Errorf("it ends with %d:\n%s", code, out)
	}
	if code, out := i.run("install-server"); code != 0 || strings.Count(out, "1.1.414") != 1 {
		t.Errorf("the list ends with %d:\n%s", code, out)
	}
}
