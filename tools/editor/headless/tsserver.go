package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/internal/installed"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// tsOptions returns the initialization options that select the TypeScript of the server: the configured one, or one installed on
// the machine. The project's TypeScript is used only if the project is trusted. TypeScript 7 has no tsserver.js and cannot be used.
func (h *Headless) tsOptions(s Server, folder string) (map[string]any, error) {
	options := maps.Clone(s.InitOptions)
	if options == nil {
		options = make(map[string]any)
	}
	given, _ := options["tsserver"].(map[string]any)
	ts := maps.Clone(given)
	if ts == nil {
		ts = make(map[string]any)
	}
	options["tsserver"] = ts
	if ts["path"] != nil {
		return options, nil
	}
	library, ok := h.typescript(s)
	switch {
	case h.o.TrustProject && ok:
		ts["fallbackPath"] = library
	case ok:
		ts["path"] = library
	case h.o.TrustProject && h.projectHas(folder, "typescript/lib/tsserver.js"):
	default:
		return nil, unsupported(h.installHint(s), "%s needs a TypeScript before version 7 that is not the project's, and finds none beside it or beside tsc", s.Name)
	}
	return options, nil
}

// tsdkOptions returns the initialization options of a server that loads TypeScript itself: initializationOptions.typescript.tsdk is the
// directory of the library. The project's TypeScript is used only if the project is trusted and no other one is installed.
func (h *Headless) tsdkOptions(s Server, folder string) (map[string]any, error) {
	library, ok := h.typescript(s)
	if !ok && h.o.TrustProject {
		for _, dir := range h.packageDirs(folder, "typescript") {
			if at := filepath.Join(dir, "lib", "tsserver.js"); isFile(at) {
				library, ok = at, true
				break
			}
		}
	}
	if !ok {
		return nil, unsupported(h.installHint(s), "%s needs a TypeScript before version 7, and finds none beside it or beside tsc", s.Name)
	}
	options := maps.Clone(s.InitOptions)
	if options == nil {
		options = make(map[string]any)
	}
	options["typescript"] = map[string]any{"tsdk": filepath.Dir(library)}
	options["vue"] = map[string]any{"hybridMode": false}
	return options, nil
}

// packageDirs returns the directories in which programs of a folder look for an npm package, nearest first.
func (h *Headless) packageDirs(folder, name string) []string {
	top, ok := h.dirOf(folder)
	if !ok {
		return nil
	}
	var dirs []string
	for dir := folder; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, filepath.Join(dir, "node_modules", name))
		if dir == top || dir == filepath.Dir(dir) {
			return dirs
		}
	}
}

// projectHas reports whether the installed npm packages of the project contain a regular file.
func (h *Headless) projectHas(folder, name string) bool {
	return slices.ContainsFunc(h.packageDirs(folder, filepath.FromSlash(name)), func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	})
}

// firstNative is the first major version of TypeScript that includes a language server.
const firstNative = 7

// nativeTypeScript returns the tsc of TypeScript 7 or later: the one of a trusted project, or the one in PATH.
func (h *Headless) nativeTypeScript(s Server, folder string) (installed.Program, error) {
	own := ""
	for _, dir := range h.packageDirs(folder, "typescript") {
		version := packageVersion(dir)
		if major(version) < firstNative {
			continue
		}
		own = version
		program, err := exec.LookPath(filepath.Join(filepath.Dir(dir), ".bin", "tsc"))
		if h.o.TrustProject && err == nil {
			return installed.Program{Command: []string{program}, File: program, Origin: installed.OriginProject}, nil
		}
	}
	p, ok := h.find(s)
	switch {
	case !ok && own != "":
		return installed.Program{}, unsupported(h.trustHint()+" Or install it outside of the project ("+s.Install+").", "TypeScript %s of the project is a program of the project, which is not trusted", own)
	case !ok:
		return installed.Program{}, missing(h.installHint(s), "no TypeScript is installed")
	}
	program := p.Command[0]
	switch version := versionOf(program); {
	case version == "":
		return installed.Program{}, unsupported(h.installHint(s), "the version of %s is not known, so it may be no language server", program)
	case major(version) < firstNative:
		return installed.Program{}, unsupported(h.installHint(s)+" Or install typescript-language-server beside it.", "%s is TypeScript %s, which is no language server by itself", program, version)
	}
	return p, nil
}

// versionOf returns the version of the TypeScript package that a program belongs to, or that a script beside node_modules starts.
// It is empty if unknown.
func versionOf(program string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(real); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		for _, at := range []string{dir, filepath.Join(dir, "node_modules", "typescript")} {
			if version := packageVersion(at); version != "" {
				return version
			}
		}
	}
	return ""
}

// packageVersion returns the version of the TypeScript package in a directory. It is empty if there is none.
func packageVersion(dir string) string {
	const most = 1 << 20 // bytes of package.json
	path := filepath.Join(dir, "package.json")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return ""
	}
	data, err := os.ReadFile(path)
	var manifest struct{ Name, Version string }
	if err != nil || json.Unmarshal(data, &manifest) != nil || manifest.Name != "typescript" && !strings.HasPrefix(manifest.Name, "@typescript/") {
		return ""
	}
	return truncate.Cut(manifest.Version, 40)
}

// major returns the first number of a version, or 0.
func major(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return n
}

// tsDiagnostic is a diagnostic in the protocol of tsserver. Lines and columns count from 1.
type tsDiagnostic struct {
	Start, End tsPosition
	Text       string
	Code       int
	Category   string
	Source     string
}

type tsPosition struct{ Line, Offset uint32 }

func (p tsPosition) protocol() lsp.Position {
	return lsp.Position{Line: max(p.Line, 1) - 1, Character: max(p.Offset, 1) - 1}
}

// tsDiagnostics requests all diagnostics of an open file from tsserver. typescript-language-server publishes diagnostics in parts
// and without a version, so that the last part cannot be detected. The synchronous commands of tsserver return complete lists.
func tsDiagnostics(ctx context.Context, session *lsp.Session, path string) ([]lsp.Diagnostic, error) {
	var all []lsp.Diagnostic
	for _, command := range []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"} {
		var answer struct {
			Type    string
			Message string
			Body    []tsDiagnostic
		}
		if err := tsRequest(ctx, session, command, map[string]string{"file": lsp.URI(path)}, &answer); err != nil {
			return nil, err
		}
		if answer.Type != "response" {
			return nil, fmt.Errorf("asking TypeScript for diagnostics: it has not answered: %s", quote(answer.Message))
		}
		for _, d := range answer.Body {
			all = append(all, d.protocol())
		}
	}
	return all, nil
}

func (d tsDiagnostic) protocol() lsp.Diagnostic {
	severity := map[string]int{"error": 1, "warning": 2, "message": 3, "suggestion": 4}[d.Category]
	source := d.Source
	if source == "" {
		source = "typescript"
	}
	return lsp.Diagnostic{Range: lsp.Range{Start: d.Start.protocol(), End: d.End.protocol()}, Severity: severity, Code: strconv.Itoa(d.Code), Source: source, Message: d.Text}
}
