package headless

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// cargoTarget is the directory for the output of cargo, below the folder of the project. It is not the one of the user's builds,
// which cargo locks while it runs.
const cargoTarget = "target/dougu-check"

// cargo is "cargo check" for Rust. It runs build scripts and procedural macros of the project.
func cargo() compiler {
	return compiler{
		Name: "cargo check", Languages: []string{"rust"}, Command: "cargo", RootMarkers: []string{"Cargo.toml"}, NeedsMarker: true, RunsProject: true,
		ExtraInputs: []string{"rust-toolchain.toml"}, OutputDir: cargoTarget,
		Arguments: func(string, []string) ([]string, error) {
			return []string{"check", "--workspace", "--all-targets", "--message-format=json", "--target-dir", filepath.FromSlash(cargoTarget)}, nil
		},
		Parse: parseCargo,
	}
}

// cargoMessage is a line of the output of cargo with --message-format=json.
type cargoMessage struct {
	Reason    string   `json:"reason"`
	Filenames []string `json:"filenames"` // of an artifact
	Success   bool     `json:"success"`   // of the build
	Message   struct {
		Message string `json:"message"`
		Level   string `json:"level"`
		Code    *struct {
			Code string `json:"code"`
		} `json:"code"`
		Spans []struct {
			File        string `json:"file_name"`
			Primary     bool   `json:"is_primary"`
			LineStart   int    `json:"line_start"`
			LineEnd     int    `json:"line_end"`
			ColumnStart int    `json:"column_start"`
			ColumnEnd   int    `json:"column_end"`
			Label       string `json:"label"`
		} `json:"spans"`
	} `json:"message"`
}

// earlyErrors are the codes of errors after which rustc does not check types: unresolved imports, modules without a file, unknown
// crates. Errors of the syntax have no code.
var earlyErrors = []string{"", "E0432", "E0433", "E0463", "E0583", "E0584"}

func parseCargo(folder string, start time.Time, stdout, stderr string) compilerOutput {
	var out compilerOutput
	var started, early, failed, success bool
	artifacts := make(map[string]bool)        // names without an extension
	seen := make(map[adapter.Diagnostic]bool) // a file belongs to several targets
	withErrors := make(map[string]bool)
	for line := range strings.Lines(stdout) {
		var m cargoMessage
		if json.Unmarshal([]byte(line), &m) != nil {
			continue
		}
		started = true
		success = success || m.Success
		for _, name := range m.Filenames {
			artifacts[artifactName(name)] = true
		}
		if m.Reason != "compiler-message" {
			continue
		}
		d := adapter.Diagnostic{Severity: rustSeverity(m.Message.Level), Message: bound(m.Message.Message), Source: "rustc"}
		if m.Message.Code != nil {
			d.Code = bound(m.Message.Code.Code)
		}
		for _, span := range m.Message.Spans {
			if !span.Primary {
				continue
			}
			d.Path = compilerPath(folder, span.File)
			d.Range = adapter.Range{Start: compilerPosition(span.LineStart, span.ColumnStart), End: compilerPosition(span.LineEnd, span.ColumnEnd)}
			if span.Label != "" && !strings.Contains(d.Message, span.Label) {
				d.Message = bound(d.Message + ": " + span.Label)
			}
			break
		}
		if d.Path == "" {
			continue // a summary
		}
		if d.Severity == adapter.Error {
			failed, withErrors[d.Path] = true, true
			early = early || slices.Contains(earlyErrors, d.Code)
		}
		if !seen[d] {
			seen[d] = true
			out.items = append(out.items, d)
		}
	}
	if failed && !early {
		out.notes = []string{"rustc checks borrows only after the other errors are corrected"}
	}
	compiled := cargoSources(folder, func(name string, written time.Time) bool {
		return success || artifacts[artifactName(name)] || !written.Before(start.Add(-clockTick))
	})
	out.failed = !started
	out.compiled = func(path string) (bool, string, string) {
		switch {
		case !started:
			return false, "cargo check failed: " + errorLine(stderr), "Correct the reported problem, and call again."
		case withErrors[path]:
			return true, "", ""
		case !compiled[path]:
			return false, "cargo check has not compiled it: it belongs to no target of the project, or to one that was not reached", ""
		case early:
			return false, "cargo check stopped at the errors of other files", "Correct them, and call again."
		}
		return true, "", ""
	}
	return out
}

func rustSeverity(level string) adapter.Severity {
	switch level {
	case "error", "error: internal compiler error":
		return adapter.Error
	case "warning":
		return adapter.Warning
	}
	return adapter.Info
}

// compilerPosition returns a position that counts from 1, within the limits for positions of servers.
func compilerPosition(line, column int) adapter.Position {
	return adapter.Position{Line: min(max(line, 1), maxPosition), Column: min(max(column, 1), maxPosition)}
}

// maxDepInfo is the size of the largest file that lists the sources of a target, in bytes.
const maxDepInfo = 4 << 20

// clockTick is the resolution of the modification times of files that are written now.
const clockTick = 20 * time.Millisecond

// artifactName returns the name of a target with the hash of its settings, from the path of one of its files.
func artifactName(path string) string {
	name := filepath.Base(filepath.FromSlash(path))
	return strings.TrimPrefix(strings.TrimSuffix(name, filepath.Ext(name)), "lib")
}

// cargoSources returns the source files that rustc has read for the targets that current accepts. They are in the files with
// dependencies that rustc writes for each target. See "Dep-info files" in the book of cargo.
func cargoSources(folder string, current func(name string, written time.Time) bool) map[string]bool {
	sources := make(map[string]bool)
	files, err := filepath.Glob(filepath.Join(escapePattern(folder), filepath.FromSlash(cargoTarget), "debug", "deps", "*.d"))
	if err != nil {
		return sources
	}
	for _, file := range files {
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxDepInfo || !current(file, info.ModTime()) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			name, ok := strings.CutSuffix(strings.TrimRight(line, "\r\n"), ":") // each source has a rule without dependencies
			if ok && !strings.Contains(name, ": ") {
				sources[compilerPath(folder, strings.ReplaceAll(name, `\ `, " "))] = true
			}
		}
	}
	return sources
}

// escapePattern returns a pattern of package path/filepath that matches a path alone.
func escapePattern(path string) string {
	if os.PathSeparator == '\\' {
		return path // Windows has no escapes, and * and ? are not in paths
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
