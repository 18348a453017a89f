package installed

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// version is a name with its parts, by which names are ordered.
type version struct {
	name   string
	prefix string   // the text before the first digit, without a "v" that begins the version
	parts  []string // runs of digits and of other characters, from the first digit on; nil without a digit
}

var versionPart = regexp.MustCompile(`[0-9]+|[^0-9]+`)

// parseVersion splits a name into its parts.
func parseVersion(name string) version {
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return version{name: name}
	}
	return version{name: name, prefix: strings.TrimSuffix(name[:at], "v"), parts: versionPart.FindAllString(name[at:], 100)}
}

// compare orders names by the versions in them: numbers by their values, other text by bytes.
//
// A name without a digit comes before all others. A name with a prefix, such as pypy3.10, comes before a version alone. A preliminary
// version, such as 1.2-beta or 1.2rc1, comes before 1.2.
func (v version) compare(w version) int {
	c := cmp.Or(
		cmp.Compare(min(len(v.parts), 1), min(len(w.parts), 1)),
		cmp.Compare(min(len(w.prefix), 1), min(len(v.prefix), 1)),
		strings.Compare(v.prefix, w.prefix),
	)
	for i := 0; c == 0 && i < max(len(v.parts), len(w.parts)); i++ {
		var x, y string
		if i < len(v.parts) {
			x = v.parts[i]
		}
		if i < len(w.parts) {
			y = w.parts[i]
		}
		if i%2 == 0 { // Digits, of any length.
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			c = cmp.Compare(len(x), len(y))
		} else {
			c = cmp.Compare(textRank(x), textRank(y))
		}
		c = cmp.Or(c, strings.Compare(x, y))
	}
	return cmp.Or(c, strings.Compare(v.name, w.name))
}

// textRank returns the order of a text between the numbers of a version: a preliminary version, the end, other text.
func textRank(text string) int {
	switch strings.ToLower(strings.Trim(text, "._-")) {
	case "a", "alpha", "b", "beta", "c", "rc", "dev", "pre", "preview", "snapshot":
		return -1
	}
	switch {
	case strings.HasPrefix(text, "-"):
		return -1
	case text == "":
		return 0
	}
	return 1
}

// Version returns the version of a program as far as files show it; the program is not started. It is empty if it is unknown.
func (p Program) Version() string {
	if p.version != "" {
		return p.version
	}
	real, err := filepath.EvalSymlinks(p.File)
	if err != nil {
		return ""
	}
	for _, find := range []func(string) string{packageVersion, masonVersion, pathVersion, pythonVersion, goVersion} {
		if version := find(real); version != "" {
			return truncate.Cut(version, 40)
		}
	}
	return ""
}

func readManifest(path string, into any) bool {
	data, err := readSmallFile(path)
	return err == nil && json.Unmarshal(data, into) == nil
}

// packageVersion returns the version of the npm package or the editor's extension that contains a file.
func packageVersion(path string) string {
	for dir := filepath.Dir(path); strings.Contains(dir, "node_modules") || strings.Contains(dir, "extensions"); dir = filepath.Dir(dir) {
		var manifest struct{ Version string }
		if readManifest(filepath.Join(dir, "package.json"), &manifest) && manifest.Version != "" {
			return manifest.Version
		}
	}
	return ""
}

// masonVersion returns the version in the receipt of Mason beside a program.
func masonVersion(path string) string {
	before, after, ok := strings.Cut(filepath.ToSlash(path), "/mason/packages/")
	name, _, below := strings.Cut(after, "/")
	if !ok || !below {
		return ""
	}
	var receipt struct {
		PrimarySource struct{ ID string } `json:"primary_source"`
		Source        struct{ ID string } `json:"source"`
	}
	if !readManifest(filepath.Join(filepath.FromSlash(before), "mason", "packages", name, "mason-receipt.json"), &receipt) {
		return ""
	}
	id := cmp.Or(receipt.PrimarySource.ID, receipt.Source.ID) // pkg:npm/%40scope/name@1.2.3
	_, version, _ := strings.Cut(id[strings.LastIndex(id, "/")+1:], "@")
	return version
}

// versionInPath matches the directories of packages with a version in their path.
var versionInPath = regexp.MustCompile(`/(?:gems/[^/]*-|llvm-|Cellar/[^/]+/|installs/[^/]+/|extensions/[^/]*-)v?([0-9][0-9A-Za-z.+]*)(?:[/-]|$)`)

func pathVersion(path string) string {
	if m := versionInPath.FindStringSubmatch(filepath.ToSlash(path)); m != nil {
		return m[1]
	}
	return ""
}

// pythonVersion returns the version of the Python package in an environment whose program has the package's name.
func pythonVersion(path string) string {
	env, name := filepath.Dir(filepath.Dir(path)), programName(path)
	for _, modules := range []string{"lib/python*/site-packages", "Lib/site-packages"} {
		for _, dir := range matchNewest(filepath.Join(env, filepath.FromSlash(modules))) {
			for _, found := range listMatches(dir, strings.ReplaceAll(name, "-", "_")+"-*.dist-info") {
				version := strings.TrimSuffix(filepath.Base(found), ".dist-info")
				return version[strings.LastIndex(version, "-")+1:]
			}
		}
	}
	return ""
}

// goVersion returns the version of the Go module of a program.
func goVersion(path string) string {
	info, err := buildinfo.ReadFile(path)
	if err != nil || info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}
