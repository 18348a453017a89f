package serverinstall_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

// wheel returns a wheel of the package demo, whose program demo-ls prints a text.
func wheel(t *testing.T, text string) []byte {
	t.Helper()
	var b, record bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{"demo.py", "def main():\n    print('" + text + "')\n"},
		{"demo-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0.0\n"},
		{"demo-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{"demo-1.0.0.dist-info/entry_points.txt", "[console_scripts]\ndemo-ls = demo:main\n"},
	} {
		w, err := z.Create(f[0])
		must(t, err)
		_, err = w.Write([]byte(f[1]))
		must(t, err)
		sum := sha256.Sum256([]byte(f[1]))
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f[0], base64.RawURLEncoding.EncodeToString(sum[:]), len(f[1]))
	}
	w, err := z.Create("demo-1.0.0.dist-info/RECORD")
	must(t, err)
	_, err = w.Write(append(record.Bytes(), "demo-1.0.0.dist-info/RECORD,,\n"...))
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

// A wheel with the checksum of the recipe is installed; a source package, or a wheel with another checksum, is refused.
func TestInstall_PipIndex(t *testing.T) {
	testrequire.Deep(t, exec.Command("python3", "-c", "import venv, ensurepip").Run() == nil, "Python 3 with venv", "apt-get install python3 python3-venv")
	data := wheel(t, "hello from demo")
	forged := false
	index := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/demo/":
			_, _ = w.Write([]byte(`<a href="/demo-1.0.0-py3-none-any.whl">demo-1.0.0-py3-none-any.whl</a><a href="/demo-1.0.0.tar.gz">demo-1.0.0.tar.gz</a>`))
		case "/demo-1.0.0-py3-none-any.whl":
			if forged {
				_, _ = w.Write(wheel(t, "evil"))
				return
			}
			_, _ = w.Write(data)
		default:
			http.NotFound(w, r)
		}
	}))
	defer index.Close()
	sum := sha256.Sum256(data)
	r := serverinstall.WithFiles(demo(serverinstall.Pip, "1.0.0"), "demo==1.0.0 --hash=sha256:"+hex.EncodeToString(sum[:])+"\n")
	i := newRealInstaller(t, "PIP_INDEX_URL="+index.URL+"/simple", "PIP_NO_BINARY=:all:", "PYTHONSTARTUP=/absent")
	got, err := i.Install(t.Context(), r)
	must(t, err)
	if out, err := exec.Command(got.Programs["demo-ls"]).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "hello from demo" {
		t.Errorf("the program prints %q: %v", out, err)
	}
	must(t, i.Uninstall(t.Context(), r))
	forged = true
	i = newRealInstaller(t, "PIP_INDEX_URL="+index.URL+"/simple")
	_, err = i.Install(t.Context(), r)
	if err == nil || !strings.Contains(err.Error(), "DO NOT MATCH THE HASHES") {
		t.Errorf("Install of a forged wheel returned %v", err)
	}
	if names := versions(t, i); len(names) > 0 {
		t.Errorf("the versions %q are left", names)
	}
}
