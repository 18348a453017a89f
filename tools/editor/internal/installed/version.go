package installed

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// compareVersions compares names by the versions in them: numbers by their values, other text by bytes. A name without a digit comes
// before all others, and a version with a suffix, such as 1.2-beta, before the version without it.
func compareVersions(a, b string) int {
	partsA, partsB := versionParts(a), versionParts(b)
	if c := cmp.Compare(min(digits(partsA), 1), min(digits(partsB), 1)); c != 0 {
		return c
	}
	for i := range min(len(partsA), len(partsB)) {
		x, y := partsA[i], partsB[i]
		nx, errX := strconv.ParseUint(x, 10, 64)
		ny, errY := strconv.ParseUint(y, 10, 64)
		c := strings.Compare(x, y)
		if errX == nil && errY == nil {
			c = cmp.Compare(nx, ny)
		}
		if c != 0 {
			return c
		}
	}
	longer := len(partsA) - len(partsB)
	rest := slices.Concat(partsA[min(len(partsA), len(partsB)):], partsB[min(len(partsA), len(partsB)):])
	if len(rest) > 0 && strings.HasPrefix(rest[0], "-") { // a preliminary version
		longer = -longer
	}
	return cmp.Or(longer, strings.Compare(a, b))
}

// versionParts splits a name into runs of digits and runs of other characters.
func versionParts(name string) []string { return versionPart.FindAllString(name, 100) }

var versionPart = regexp.MustCompile(`[0-9]+|[^0-9]+`)

// digits returns the number of parts that are numbers.
func digits(parts []string) (n int) {
	for _, part := range parts {
		if part[0] >= '0' && part[0] <= '9' {
			n++
		}
	}
	return n
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

const maxManifest = 1 << 20 // bytes of a file that names a version

func readManifest(path string, into any) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxManifest {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, into) == nil
}

// packageVersion returns the version of the npm package or the editor's extension that contains a file.
func packageVersion(path string) string {
	for dir := filepath.Dir(path); strings.Contains(dir, "node_modules") || strings.Contains(dir, "extensions"); dir = filepath.Dir(dir) {
		var manifest struct{ Name, Version string }
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
	env, name := filepath.Dir(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".exe")
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
