package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
)

// Packages for tasks and corpora.
var (
	expo         = corpora.Expo
	reactNative  = corpora.Pack{Name: "react-native", Version: "0.86.3", Integrity: "sha512-JR5s3bM9ezud+Mw24GlNXNfthqPIKwrQgPPJcam+L97t2sKjjEavhCzBn+fyqZZRcM5+XlhYxpTxVkK7e1n38Q=="}
	effect       = corpora.Pack{Name: "effect", Version: "4.1.0", Integrity: "sha512-lGx2MJJyrXA8RZb2UpQ/0Nkb5Utaimby7oD92+18noBxLPE85IFOvptdzau8dvcxAOwfwHo9iqapbKeFzqQM/Q=="}
	rxjs         = corpora.RxJS
	screens      = corpora.Pack{Name: "react-native-screens", Version: "4.30.1", Integrity: "sha512-wLzZSQpvMx3FxIlDnb6raDJjsv2x45tFLGFz8RFUvxHzsKU9dWOkZYv9fy2siWtFf3eWGcRh66hL+o+dHhRJLQ=="}
	reanimated   = corpora.Pack{Name: "react-native-reanimated", Version: "3.16.6", Integrity: "sha512-jPbAfLF5t8+UCKFTO+LeOY+OmAcDP5SsAfqINvNQz5GFGvoO7UebxujjtY58CmpZNH6c3SQ514FF9//mZDpo/g=="}
	olderNative  = corpora.Pack{Name: "react-native", Version: "0.76.5", Integrity: "sha512-op2p2kB+lqMF1D7AdX4+wvaR0OPFbvWYs+VBE7bwsb99Cn9xISrLRLAgFflZedQsa5HvnOGrULhtnmItbIKVVw=="}
	cordova      = corpora.Pack{Name: "cordova-android", Version: "13.0.0", Integrity: "sha512-uQG+cSyrB1NMi2aIzihldIupHB9WGpZVvrMMMAAtnyc6tDlEk7gweSSaFsEONyGAnteRYpIvrzg/YwDW08PcUg=="}
	googleProtos = corpora.Pack{Name: "google-proto-files", Version: "5.0.3", Integrity: "sha512-HrKG4IIPUHaU1E4+J8yETm41N39+pm9z+ZBERNcq+q8ltHRcFwTcxSviqJSuxPiZJNTWmdBhp03xcElCRlQPxA=="}
)

// npm returns a directory of an npm package, downloaded or cached.
func (b *bench) npm(p corpora.Pack, within string) (fs.FS, error) {
	all, err := corpora.NPM(b.stderr, p)
	if err != nil || within == "" {
		return all, err
	}
	return fs.Sub(all, within)
}

// sources returns the files of a directory with one of the extensions, sorted.
func sources(from fs.FS, within string, endings ...string) ([]string, error) {
	var names []string
	err := fs.WalkDir(from, within, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && slices.Contains(endings, path.Ext(name)) {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// copyFiles copies files to a directory and returns their total size in bytes.
func copyFiles(into string, from fs.FS, names []string) (int64, error) {
	var size int64
	for _, name := range names {
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return 0, err
		}
		to := filepath.Join(into, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return 0, err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return 0, err
		}
		size += int64(len(content))
	}
	return size, nil
}

// short returns a name without insignificant directories.
func short(name string) string {
	const most = 44
	if len(name) <= most {
		return name
	}
	rest := name[len(name)-most:]
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		rest = rest[at:]
	}
	return "…" + rest
}
