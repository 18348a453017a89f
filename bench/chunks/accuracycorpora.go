package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/bench/corpora"
)

// accuracyCorpora returns the projects in which accuracy is measured.
func accuracyCorpora() []accuracyCorpus {
	perl := programTruth("perl", "truth/functions.pl")
	r := programTruth("Rscript", "truth/functions.R")
	elixir := programTruth("elixir", "truth/functions.exs")
	ocaml := programTruth("ocaml", "-I", "+compiler-libs", "ocamlcommon.cma", "truth/functions.ml")
	objc := layoutTruth(`[-+][ \t]*\([^()]*(?:\([^()]*\)[^()]*)*\)[ \t]*(\w+)[^;]*$`, `\}$`)
	dart := layoutTruth(`(?:(?:static|external|late|final|const|factory|void|bool|int|double|num|dynamic|[A-Z]\w*(?:\.\w+)?)(?:<[^()=;]*>)?\??[ \t]+)+(?:get[ \t]+(\w+)|(?:set[ \t]+)?([\w.]+)(?:<[^()]*>)?\()[^=;]*\{$`, `\}$`)
	zig := layoutTruth(`(?:pub |export |inline |noinline )*fn (\w+)\([^;]*[{(]$`, `\}$`)
	julia := layoutTruth(`function[ \t]+([A-Za-z_]\w*!?)\([^)]*\)[^;]*$`, `end\b`)
	hcl := layoutTruth(`(?:resource|data|variable|output|module|locals|provider|terraform)\b[^{]*\{$`, `\}$`)
	rpc := layoutTruth(`rpc[ \t]+(\w+)[^;]*\{$`, `\}$`)
	return []accuracyCorpus{
		{"objectivec", "react-native", false, npm(reactNative), ".", objc, "layout"},
		{"objectivec", "react-native-screens", false, npm(screens), ".", objc, "layout"},
		{"objectivec", "react-native-reanimated", false, npm(reanimated), ".", objc, "layout"},
		{"objectivec", "expo-modules-core", true, npm(corpora.Expo), ".", objc, "layout"},
		{"lua", "neovim-runtime", false, debian("neovim-runtime"), ".", luaTruth, "luac"},
		{"lua", "nmap-common", true, debian("nmap-common"), ".", luaTruth, "luac"},
		{"perl", "perl-modules-5.36", false, debian("perl-modules-5.36"), ".", perl, "PPI"},
		{"perl", "debhelper", true, debian("libdebhelper-perl"), ".", perl, "PPI"},
		{"shell", "git", false, debian("git"), ".", shellTruth, "mvdan.cc/sh"},
		{"shell", "xdg-utils", true, debian("xdg-utils"), ".", shellTruth, "mvdan.cc/sh"},
		{"shell", "libtool", true, debian("libtool"), ".", shellTruth, "mvdan.cc/sh"},
		{"shell", "initramfs-tools-core", true, debian("initramfs-tools-core"), ".", shellTruth, "mvdan.cc/sh"},
		{"shell", "/usr/bin", true, directory("/usr/bin"), ".", shellTruth, "mvdan.cc/sh"},
		{"r", "dplyr", false, debianSource("r-cran-dplyr"), ".", r, "R"},
		{"r", "ggplot2", true, debianSource("r-cran-ggplot2"), ".", r, "R"},
		{"elixir", "elixir-lang", false, debianSource("elixir-lang"), ".", elixir, "Elixir"},
		{"ocaml", "lwt", false, debianSource("lwt"), ".", ocaml, "OCaml"},
		{"ocaml", "ocaml-dune", true, debianSource("ocaml-dune"), ".", ocaml, "OCaml"},
		{"haskell", "pandoc", false, debianSource("pandoc"), ".", haskellTruth, "signatures"},
		{"haskell", "haskell-lens", true, debianSource("haskell-lens"), ".", haskellTruth, "signatures"},
		{"sql", "postgresql-15", false, debian("postgresql-15"), ".", sqlTruth, "statements"},
		{"proto", "google-proto-files", true, npm(googleProtos), ".", rpc, "layout"},
		{"dart", "dart-lang/http", false, cloned("http"), ".", dart, "layout"},
		{"dart", "felangel/bloc", true, cloned("bloc"), ".", dart, "layout"},
		{"zig", "zigtools/zls", true, cloned("zls"), ".", zig, "layout"},
		{"julia", "JuliaLang/Pkg.jl", true, cloned("Pkg.jl"), ".", julia, "layout"},
		{"terraform", "terraform-aws-eks", true, cloned("terraform-aws-eks"), ".", hcl, "layout"},
	}
}

func npm(p corpora.Pack) func(b *bench) (fs.FS, error) {
	return func(b *bench) (fs.FS, error) { return corpora.NPM(b.stderr, p) }
}

func debian(name string) func(b *bench) (fs.FS, error) {
	return func(b *bench) (fs.FS, error) { return corpora.Debian(b.stderr, name) }
}

func debianSource(name string) func(b *bench) (fs.FS, error) {
	return func(b *bench) (fs.FS, error) { return corpora.DebianSource(b.stderr, name) }
}

// directory returns a directory of this machine.
func directory(name string) func(b *bench) (fs.FS, error) {
	return func(*bench) (fs.FS, error) { return os.DirFS(name), nil }
}

// cloned returns the copy of a project below the directory of the flag -projects.
func cloned(name string) func(b *bench) (fs.FS, error) {
	return func(b *bench) (fs.FS, error) {
		if b.projects == "" {
			return nil, errors.New("give the directory of its clone with -projects")
		}
		dir := filepath.Join(b.projects, name)
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return os.DirFS(dir), nil
	}
}
