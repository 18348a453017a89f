package serverinstall_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

// tarball returns a package of npm.
func tarball(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		must(t, w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o755, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		must(t, err)
	}
	must(t, w.Close())
	must(t, z.Close())
	return b.Bytes()
}

// integrity returns the checksum of npm.
func integrity(data []byte) string {
	sum := sha512.Sum512(data)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// npmRegistry is a registry with version 1.0.0 of the package demo. It declares the checksum of what it serves.
func npmRegistry(t *testing.T, data []byte) *httptest.Server {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/demo":
			sum := sha1.Sum(data)
			_ = json.NewEncoder(w).Encode(map[string]any{
				"name": "demo", "dist-tags": map[string]string{"latest": "1.0.0"},
				"versions": map[string]any{"1.0.0": map[string]any{
					"name": "demo", "version": "1.0.0", "bin": map[string]string{"demo-ls": "demo.js"}, "hasInstallScript": true,
					"dist": map[string]string{"tarball": server.URL + "/demo/-/demo-1.0.0.tgz", "integrity": integrity(data), "shasum": hex.EncodeToString(sum[:])},
				}},
			})
		case "/demo/-/demo-1.0.0.tgz":
			_, _ = w.Write(data)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// npmRecipe returns a recipe for the package demo with a checksum.
func npmRecipe(sum string) serverinstall.Recipe {
	r := demo(serverinstall.NPM, "1.0.0")
	r.Package, r.Node = "demo", 18
	return serverinstall.WithFiles(r, `{"lockfileVersion":3,"requires":true,"packages":{"":{"dependencies":{"demo":"1.0.0"}},`+
		`"node_modules/demo":{"version":"1.0.0","integrity":"`+sum+`","hasInstallScript":true,"bin":{"demo-ls":"demo.js"}}}}`)
}

// newRealInstaller returns an Installer with the PATH of this process, a home directory of its own and further variables.
func newRealInstaller(t *testing.T, env ...string) *serverinstall.Installer {
	t.Helper()
	home := t.TempDir()
	all := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(entry), "=")
		return strings.HasPrefix(name, "NPM_CONFIG_") || strings.HasPrefix(name, "PIP_") || name == "HOME" || name == "GOPROXY" || name == "GOFLAGS" || name == "GOSUMDB"
	})
	return &serverinstall.Installer{Dir: filepath.Join(home, "cache"), Env: slices.Concat(all, []string{"HOME=" + home, "npm_config_cache=" + filepath.Join(home, "npm")}, env)}
}

// Install scripts do not run, also with a configuration of the user that allows them.
func TestInstall_NPMRegistry(t *testing.T) {
	testrequire.Node(t, 18, "install Node.js with npm")
	witness := filepath.Join(t.TempDir(), "ran")
	data := tarball(t, map[string]string{
		"package.json": `{"name":"demo","version":"1.0.0","bin":{"demo-ls":"demo.js"},"scripts":{"install":"node -e \"require('fs').writeFileSync(process.env.WITNESS,'x')\""}}`,
		"demo.js":      "#!/usr/bin/env node\nconsole.log('hello from demo')\n",
	})
	registry := npmRegistry(t, data)
	config := filepath.Join(t.TempDir(), "npmrc")
	must(t, os.WriteFile(config, []byte("ignore-scripts=false\nbin-links=false\nregistry="+registry.URL+"\n"), 0o600))
	i := newRealInstaller(t, "npm_config_userconfig="+config, "npm_config_ignore_scripts=false", "WITNESS="+witness)
	got, err := i.Install(t.Context(), npmRecipe(integrity(data)))
	must(t, err)
	out, err := exec.Command(got.Programs["demo-ls"]).CombinedOutput()
	if err != nil || string(out) != "hello from demo\n" {
		t.Errorf("the program prints %q: %v", out, err)
	}
	if _, err := os.Stat(witness); err == nil {
		t.Error("the install script has run")
	}
}

// A registry that serves another package, with the checksum of that, is refused.
func TestInstall_NPMWrongChecksum(t *testing.T) {
	testrequire.Node(t, 18, "install Node.js with npm")
	genuine := tarball(t, map[string]string{"package.json": `{"name":"demo","version":"1.0.0","bin":{"demo-ls":"demo.js"}}`, "demo.js": "1"})
	forged := tarball(t, map[string]string{"package.json": `{"name":"demo","version":"1.0.0","bin":{"demo-ls":"demo.js"}}`, "demo.js": "2"})
	i := newRealInstaller(t, "npm_config_registry="+npmRegistry(t, forged).URL)
	_, err := i.Install(t.Context(), npmRecipe(integrity(genuine)))
	if err == nil || !strings.Contains(err.Error(), "EINTEGRITY") {
		t.Errorf("Install returned %v", err)
	}
	if names := versions(t, i); len(names) > 0 {
		t.Errorf("the versions %q are left", names)
	}
}

// moduleProxy makes a proxy in files with version v1.0.0 of the module example.com/demo, and returns its URL.
func moduleProxy(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "example.com", "demo", "@v")
	must(t, os.MkdirAll(dir, 0o755))
	const mod = "module example.com/demo\n\ngo 1.21\n"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{"go.mod": mod, "main.go": text} {
		w, err := z.Create("example.com/demo@v1.0.0/" + name)
		must(t, err)
		_, err = w.Write([]byte(text))
		must(t, err)
	}
	must(t, z.Close())
	for name, data := range map[string]string{"v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": mod, "v1.0.0.zip": b.String(), "list": "v1.0.0\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	if runtime.GOOS == "windows" {
		return "file:///" + filepath.ToSlash(root)
	}
	return "file://" + root
}

// moduleSum returns the hash h1 of the module in moduleProxy.
func moduleSum(text string) string {
	h := sha256.New()
	for _, f := range [][2]string{{"go.mod", "module example.com/demo\n\ngo 1.21\n"}, {"main.go", text}} {
		fmt.Fprintf(h, "%x  example.com/demo@v1.0.0/%s\n", sha256.Sum256([]byte(f[1])), f[0])
	}
	return "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

const helloModule = "package main\n\nfunc main() { println(\"hello from demo\") }\n"

// newGoInstaller returns an Installer with a proxy of modules, and a module cache of its own.
func newGoInstaller(t *testing.T, proxy string) *serverinstall.Installer {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	must(t, err)
	modules, err := os.MkdirTemp("", "modules")
	must(t, err)
	t.Cleanup(func() {
		clean := exec.Command("go", "clean", "-modcache") // its files are read-only
		clean.Env = append(os.Environ(), "GOMODCACHE="+modules)
		if out, err := clean.CombinedOutput(); err != nil {
			t.Errorf("go clean: %v\n%s", err, out)
		}
		_ = os.RemoveAll(modules)
	})
	return newRealInstaller(t, "GOPROXY="+proxy, "GOMODCACHE="+modules, "GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS=-toolexec=/absent", "GOSUMDB=off", "GOTOOLCHAIN=local")
}

func TestInstall_ModuleProxy(t *testing.T) {
	i := newGoInstaller(t, moduleProxy(t, helloModule))
	// A module in a directory above does not take part.
	must(t, os.MkdirAll(i.Dir, 0o700))
	must(t, os.WriteFile(filepath.Join(i.Dir, "go.mod"), []byte("module evil\n\nreplace example.com/demo => /absent\n"), 0o600))
	got, err := i.Install(t.Context(), serverinstall.WithSum(demo(serverinstall.Go, "v1.0.0"), moduleSum(helloModule)))
	must(t, err)
	out, err := exec.Command(got.Programs["demo-ls"]).CombinedOutput()
	if err != nil || string(out) != "hello from demo\n" {
		t.Errorf("the program prints %q: %v", out, err)
	}
}

func TestInstall_ModuleWrongHash(t *testing.T) {
	i := newGoInstaller(t, moduleProxy(t, "package main\n\nfunc main() { println(\"evil\") }\n"))
	_, err := i.Install(t.Context(), serverinstall.WithSum(demo(serverinstall.Go, "v1.0.0"), moduleSum(helloModule)))
	if err == nil || !strings.Contains(err.Error(), "wrong checksum") {
		t.Errorf("Install returned %v", err)
	}
	if names := versions(t, i); len(names) > 0 {
		t.Errorf("the versions %q are left", names)
	}
}
