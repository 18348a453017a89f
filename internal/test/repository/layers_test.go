package repository_test

import (
	"path"
	"strconv"
	"strings"
	"testing"
)

// layers lists the layers of the repository from the lowest to the highest. A package may import packages of its own layer and of
// lower ones. The longest matching directory counts; a directory that ends in "/." stands for its package alone.
var layers = []struct {
	name        string
	directories []string
}{
	{"internal", []string{"internal"}},
	{"mcp", []string{"mcp"}},
	{"transport", []string{"transport", "mcp/mcptest"}},
	{"security", []string{"security", "mcp/gateway"}},
	{"tools", []string{"tools/.", "tools/command", "tools/config", "tools/grep", "tools/internal", "tools/keyring", "tools/process", "tools/tasks", "tools/toolstest"}},
	{"sources", []string{"tools/source", "tools/internal/identifier", "tools/internal/symbols", "tools/internal/syntaxdiff"}},
	{"sets", []string{"tools", "tools/internal/parsecheck"}},
	{"application", []string{"tools/app", "tools/internal/viewtest", "tools/internal/worldtest"}},
	{"programs", []string{"examples", "nats", "otel", "postgres", "bench", "release", "internal/test"}},
}

// layerOf returns the index of a package's layer, and its directory in the table.
func layerOf(pkg string) (layer int, directory string) {
	layer = -1
	for i, l := range layers {
		for _, dir := range l.directories {
			name, alone := strings.CutSuffix(dir, "/.")
			if (pkg == name || !alone && strings.HasPrefix(pkg, name+"/")) && len(dir) > len(directory) {
				layer, directory = i, dir
			}
		}
	}
	return layer, directory
}

// setOfPackage returns the directory of the tool set that a package belongs to, for example "tools/search".
func setOfPackage(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	return path.Join(parts[:min(2, len(parts))]...)
}

func TestImports_PointDown(t *testing.T) {
	files, _ := sources(t)
	for _, s := range files {
		importer := path.Dir(s.name)
		from, _ := layerOf(importer)
		if from < 0 {
			if importer != "." {
				t.Errorf("%s belongs to no layer", importer)
			}
			continue
		}
		for _, spec := range s.file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			ours, found := strings.CutPrefix(imported, module)
			if !found {
				continue
			}
			to, _ := layerOf(ours)
			switch {
			case to < 0:
				t.Errorf("%s imports %s, which belongs to no layer", s.name, ours)
			case to > from:
				t.Errorf("%s (layer %s) imports %s (layer %s)", s.name, layers[from].name, ours, layers[to].name)
			case layers[from].name == "sets" && to == from && setOfPackage(importer) != setOfPackage(ours) && importer != "tools/internal/parsecheck":
				t.Errorf("%s imports another tool set: %s", s.name, ours)
			case strings.HasPrefix(ours, "examples/") && !strings.HasPrefix(s.name, "examples/"):
				t.Errorf("%s imports the program %s", s.name, ours)
			}
		}
	}
}
