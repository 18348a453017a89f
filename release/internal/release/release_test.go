package release_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/release/internal/bundle"
	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/gobuild"
	"github.com/dougu-go/dougu/release/internal/release"
	"github.com/dougu-go/dougu/tools/editor/vscode/extension"
	"github.com/dougu-go/dougu/transport"
)

// made is the release of some programs for this machine that all tests use.
var made string

const version = "1.2.3-test.1"

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "release-test-")
	if err == nil {
		made = filepath.Join(dir, "dist")
		err = release.Make(context.Background(), options(made))
	}
	if err != nil {
		os.RemoveAll(dir)
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

func options(out string) release.Options {
	programs, _ := catalog.Named("cursorcli", "gateway")
	return release.Options{
		Root: root(), Out: out, Version: version, Time: time.Unix(1_700_000_000, 0), Programs: programs, Targets: []gobuild.Target{host()}, Log: io.Discard,
	}
}

func host() gobuild.Target { return gobuild.Target{OS: runtime.GOOS, Arch: runtime.GOARCH} }

func root() string {
	dir, err := filepath.Abs("../../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// of returns the file of a program.
func of(program, kind string) string {
	return filepath.Join(made, fmt.Sprintf("%s_%s_%s_%s%s", program, version, runtime.GOOS, runtime.GOARCH, kind))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// SHA256SUMS contains every file except the pages of the site.
func TestChecksums(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(made, "SHA256SUMS"))
	must(t, err)
	named := map[string]bool{"SHA256SUMS": true}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		content, err := os.ReadFile(filepath.Join(made, name))
		if err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(content)) {
			t.Errorf("%s: %v", line, err)
		}
		named[name] = true
	}
	must(t, fs.WalkDir(os.DirFS(made), ".", func(name string, e fs.DirEntry, err error) error {
		if !e.IsDir() && !named[name] && !strings.HasPrefix(name, "site/") {
			t.Errorf("%s has no checksum", name)
		}
		return err
	}))
	if len(named) < 2*4+1 {
		t.Errorf("%v", named)
	}
}

func TestArchive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is a ZIP archive there")
	}
	content, err := os.ReadFile(of("cursorcli", ".tar.gz"))
	must(t, err)
	z, err := gzip.NewReader(bytes.NewReader(content))
	must(t, err)
	dir := t.TempDir()
	untar(t, dir, z)
	for name, want := range map[string]string{
		"LICENSE": "Apache License", "README.md": "# cursorcli " + version, "sbom.cdx.json": "CycloneDX",
		"THIRD-PARTY-NOTICES.txt": "grammars/LICENSES/tree-sitter-go",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "cursorcli"), "version").Output()
	if err != nil || string(out) != "cursorcli "+version+"\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// untar unpacks an archive as the user of the test.
func untar(t *testing.T, dir string, r io.Reader) {
	t.Helper()
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return
		}
		must(t, err)
		file := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			must(t, os.MkdirAll(file, 0o755))
			must(t, os.Chmod(file, fs.FileMode(h.Mode).Perm()))
		} else {
			content, err := io.ReadAll(archive)
			must(t, err)
			must(t, os.WriteFile(file, content, fs.FileMode(h.Mode).Perm()))
		}
		if os.Getuid() == 0 {
			must(t, os.Chown(file, h.Uid, h.Gid))
		}
	}
}

// A bundle can be installed and started as its manifest says.
func TestBundle(t *testing.T) {
	dir, project := t.TempDir(), t.TempDir()
	unzip(t, dir, of("cursorcli", ".mcpb"))
	var manifest bundle.Manifest
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &manifest))
	if manifest.Release != version || len(manifest.UserConfig) != 1 || !manifest.UserConfig["directory"].Required {
		t.Errorf("%s", text)
	}
	fill := strings.NewReplacer("${__dirname}", dir, "${user_config.directory}", project)
	args := slices.Clone(manifest.Server.Config.Args)
	for i := range args {
		args[i] = fill.Replace(args[i])
	}
	works(t, project, transport.Command{Path: fill.Replace(manifest.Server.Config.Command), Args: args})
}

func unzip(t *testing.T, dir, file string) {
	t.Helper()
	archive, err := zip.OpenReader(file)
	must(t, err)
	defer archive.Close()
	must(t, os.MkdirAll(filepath.Join(dir, "server"), 0o755))
	for _, f := range archive.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(f.Name)), content, f.Mode()))
	}
}

// works reads and writes a file of a project through a server.
func works(t *testing.T, project string, command transport.Command) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(project, "note.txt"), []byte("found it"), 0o644))
	var said []string
	command.Stderr = func(line string) { said = append(said, line) }
	client, err := mcp.Connect(t.Context(), command, mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err != nil {
		t.Fatalf("%v; it says %q", err, said)
	}
	defer client.Close()
	result, err := client.CallTool(t.Context(), "read_file", map[string]any{"path": "note.txt"}, nil)
	must(t, err)
	if text, err := json.Marshal(result.Content); err != nil || result.IsError || !strings.Contains(string(text), "found it") {
		t.Errorf("%s, %v", text, err)
	}
	result, err = client.CallTool(t.Context(), "write_file", map[string]any{"path": "new.txt", "content": "mine"}, nil)
	must(t, err)
	if text, err := os.ReadFile(filepath.Join(project, "new.txt")); err != nil || result.IsError || string(text) != "mine" {
		t.Errorf("it wrote %q, %v; %+v", text, err, result.Content)
	}
	must(t, os.Remove(filepath.Join(project, "new.txt")))
	if got := client.Server().Server.Version; got != version {
		t.Errorf("the server says that it is %s", got)
	}
}

// The validator of the format accepts the bundles.
func TestBundle_Validator(t *testing.T) {
	const remedy = "run npm ci --prefix internal/test/e2e/packaging --ignore-scripts in the repository's root"
	node := testrequire.Node(t, 20, remedy)
	program := filepath.Join(root(), "internal/test/e2e/packaging/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
	_, err := os.Stat(program)
	testrequire.Thing(t, err == nil, "the validator of bundles", remedy)
	for _, p := range options("").Programs {
		for _, target := range gobuild.Targets() {
			text, err := json.Marshal(bundle.New(p, version, target))
			must(t, err)
			file := filepath.Join(t.TempDir(), "manifest.json")
			must(t, os.WriteFile(file, text, 0o600))
			if out, err := exec.CommandContext(t.Context(), node, program, "validate", file).CombinedOutput(); err != nil {
				t.Errorf("%s for %v: %v\n%s", p.Name, target, err, out)
			}
		}
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), node, program, "unpack", of("gateway", ".mcpb"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(filepath.Join(dir, "server", host().Exe("gateway"))); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
		t.Errorf("the program cannot be run: %v", err)
	}
}

// The extension of VS Code has the version of the release and the license of the repository.
func TestExtension(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(made, "dougu_"+version+"_vscode.vsix"))
	must(t, err)
	var want bytes.Buffer
	must(t, extension.Write(&want, version))
	if !bytes.Equal(content, want.Bytes()) {
		t.Error("it differs from the one that the program editor installs")
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	read := func(name string) string {
		text, err := fs.ReadFile(archive, name)
		must(t, err)
		return string(text)
	}
	license, err := os.ReadFile(filepath.Join(root(), "LICENSE"))
	must(t, err)
	if read("extension/LICENSE.txt") != string(license) {
		t.Error("its license is not that of the repository; copy LICENSE to tools/editor/vscode/extension")
	}
	if about := read("extension/package.json"); !strings.Contains(about, fmt.Sprintf("%q: %q", "version", version)) {
		t.Errorf("package.json does not have the version of the release:\n%s", about)
	}
}

func TestMake_OutputNotEmpty(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600))
	if err := release.Make(t.Context(), options(dir)); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Error(err)
	}
}
