package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dougu-go/dougu/bench/corpora"
)

// Packages with components of Vue, Svelte and Astro.
var (
	vitepress    = corpora.Pack{Name: "vitepress", Version: "1.6.4", Integrity: "sha512-+2ym1/+0VVrbhNyRoFFesVvBvHAVMZMK0rw60E3X/5349M1GuVdKeazuksqopEdvkKwKGs21Q729jX81/bkBJg=="}
	slidev       = corpora.Pack{Name: "@slidev/client", Version: "53.0.0", Integrity: "sha512-y95YzIeqEhXGAKQ0BabG7QLBYwDaqwjtAAttNmJL9E2qmgSoEuIg2KVMIyz15bdchS6XyouqlDiNdzgDag47Kw=="}
	primevue     = corpora.Pack{Name: "primevue", Version: "5.0.2", Integrity: "sha512-6k5I9vpR4heSXym2wuUcqXXAPjFbozIlVBllAsHRl73zPo+rQSONKvwwFA/6MP9Drg71nYsLffD4VBgQMLkUvg=="}
	nuxtUI       = corpora.Pack{Name: "@nuxt/ui", Version: "4.11.2", Integrity: "sha512-TefoICLKP2xxtA3jsQhNyqwVmgtiRW7UxiJoIl0T8Qu6398X0Nc3Z+jvjYrfa19glEAMTHvsFB0HywSUh56nrQ=="}
	carbonSvelte = corpora.Pack{Name: "carbon-components-svelte", Version: "0.112.1", Integrity: "sha512-XziZ4Npwli6kY6IJ5LA0jbrqwpcPueEDAerW3Qx2ww8J1j3r+C8dys14yYX+RZABUReFEYfRlHlxCnFeI3/CAg=="}
	flowbite     = corpora.Pack{Name: "flowbite-svelte", Version: "1.33.1", Integrity: "sha512-HIG61H/YvWbfk0JTfirbPFb1F/YRPiJWYlUE7KTlmZ1X/ZTG6NZA9CgRuraO358cdpt0kv1gPYldrAKM1Apx2w=="}
	bitsUI       = corpora.Pack{Name: "bits-ui", Version: "2.21.0", Integrity: "sha512-kfJonux4r+XOnqGCBQaqFfhRUvDbuZQgyjXADfk0/QJGc8LlQchkrGc6rCd+ldo1EixCJEXlM7znKVIUtuf7OQ=="}
	starlight    = corpora.Pack{Name: "@astrojs/starlight", Version: "0.42.4", Integrity: "sha512-EsQsqGJ1uTBQcIMojvLqqg4Ku9idwi6PSNuppIOoYmvVP18xjoUkijMdKoDkhmmwKdhbB4ctLhGjPRJzxaq+Jw=="}
	apostropheUI = corpora.Pack{Name: "@apostrophecms/apostrophe-astro", Version: "1.15.0", Integrity: "sha512-YRjgbuEM9SUr0sJqmHje9xWX20lYwQoV3GXPlAvRNpIMQSRDa4rwiOhiWJcZ0jabEaHapdB66ooQDNHTjWST9g=="}
	astroUI      = corpora.Pack{Name: "astro", Version: "7.3.5", Integrity: "sha512-1p/ernaq/RuESbM5NMjWzbO6SiebMGrGcYlGjMfBhzzgM+n/X7AUmVyw8BqW2QYCdivpsHwJBcD1fqmlTZjZHg=="}
)

// accuracyCorpora returns the projects in which accuracy is measured.
func accuracyCorpora() []accuracyCorpus {
	perl := programTruth("perl", "truth/functions.pl")
	r := programTruth("Rscript", "truth/functions.R")
	elixir := programTruth("elixir", "truth/functions.exs")
	ocaml := programTruth("ocaml", "-I", "+compiler-libs", "ocamlcommon.cma", "truth/functions.ml")
	components := programTruth("node", "truth/components.mjs")
	graphql := programTruth("node", "truth/graphql.mjs")
	objc := layoutTruth(`[-+][ \t]*\([^()]*(?:\([^()]*\)[^()]*)*\)[ \t]*(\w+)[^;]*$`, `\}$`)
	dart := layoutTruth(`(?:(?:static|external|late|final|const|factory|void|bool|int|double|num|dynamic|[A-Z]\w*(?:\.\w+)?)(?:<[^()=;]*>)?\??[ \t]+)+(?:get[ \t]+(\w+)|(?:set[ \t]+)?([\w.]+)(?:<[^()]*>)?\()[^=;]*\{$`, `\}$`)
	zig := layoutTruth(`(?:pub |export |inline |noinline )*fn (\w+)\([^;]*[{(]$`, `\}$`)
	julia := layoutTruth(`function[ \t]+([A-Za-z_]\w*!?)\([^)]*\)[^;]*$`, `end\b`)
	hcl := layoutTruth(`(?:resource|data|variable|output|module|locals|provider|terraform)\b[^{]*\{$`, `\}$`)
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
		{"proto", "protobuf", false, debianSource("protobuf"), ".", protoTruth, "protoc"},
		{"proto", "google-proto-files", true, npm(googleProtos), ".", protoTruth, "protoc"},
		{"graphql", "99designs/gqlgen", false, downloaded("github.com/99designs/gqlgen", "v0.17.98"), ".", graphql, "graphql-js"},
		{"graphql", "graphql-go-tools", true, downloaded("github.com/wundergraph/graphql-go-tools/v2", "v2.0.0-rc.2.0.20231222113055-01835844e7c9"), ".", graphql, "graphql-js"},
		{"graphql", "vektah/gqlparser", true, downloaded("github.com/vektah/gqlparser/v2", "v2.5.64"), ".", graphql, "graphql-js"},
		{"vue", "vitepress", false, npm(vitepress), ".", components, "Vue"},
		{"vue", "slidev", false, npm(slidev), ".", components, "Vue"},
		{"vue", "primevue", true, npm(primevue), ".", components, "Vue"},
		{"vue", "nuxt-ui", true, npm(nuxtUI), ".", components, "Vue"},
		{"svelte", "carbon-components-svelte", false, npm(carbonSvelte), ".", components, "Svelte"},
		{"svelte", "flowbite-svelte", true, npm(flowbite), ".", components, "Svelte"},
		{"svelte", "bits-ui", true, npm(bitsUI), ".", components, "Svelte"},
		{"astro", "starlight", false, npm(starlight), ".", components, "Astro"},
		{"astro", "apostrophe-astro", true, npm(apostropheUI), ".", components, "Astro"},
		{"astro", "astro", true, npm(astroUI), ".", components, "Astro"},
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

// downloaded returns a module of Go, whose content the checksum database confirms.
func downloaded(path, version string) func(b *bench) (fs.FS, error) {
	return func(*bench) (fs.FS, error) {
		out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
		var module struct{ Dir, Error string }
		if decodeErr := json.Unmarshal(out, &module); decodeErr != nil || module.Dir == "" {
			return nil, fmt.Errorf("download module %s: %s: %w", path, module.Error, errors.Join(err, decodeErr))
		}
		return os.DirFS(module.Dir), nil
	}
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
