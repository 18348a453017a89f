package parsecheck_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// The packages of npm that come with the Kotlin of their Android half, and with
// Gradle plugins in it.
var kotlinPackages = []struct{ name, version, integrity string }{
	{"react-native", "0.86.3", "sha512-JR5s3bM9ezud+Mw24GlNXNfthqPIKwrQgPPJcam+L97t2sKjjEavhCzBn+fyqZZRcM5+XlhYxpTxVkK7e1n38Q=="},
	{"@react-native/gradle-plugin", "0.86.3", "sha512-lxmx0GqLEWRIpZfpYFXlYVIs3ENQwaW6Vmp6oi29l2GoQJ1wZfFZRdMimDWlGEk8LKfHar3QH3iaPMkTcK9lEQ=="},
	{"expo-modules-core", "2.1.4", "sha512-gfsbTPSaocgcQQDy4Z4ztg1hcOofwODctAA+yoNcrUQr/hRaDc6ndIJQwGPjoGXnEbXVxFfzGGSAkNiqK1I7lQ=="},
	{"expo-modules-autolinking", "58.0.4", "sha512-kAhKeFLMpswcs/3rVjpwf3ZRyq0EWGOLoPORxG9RCw5SFICKa1Yk+TiwLuiVBAuNUrhasB+hxcdzKVivXUuFlg=="},
	{"expo-updates", "57.0.24", "sha512-6n7rBuAn+yjfxGjVf9hPUiMcEW4ggxwlimfO7CJg+OLOJssWsKB1qyp9cj/InHc2XGolpvgigZzECNNFUkv3zA=="},
	{"react-native-vision-camera", "5.2.3", "sha512-OHjgM8BPzxppTqbF1FEltj+fxvisj4xdghM7ypoT1p6cOe28HByhOJP1c7LkBiUiZuotbsdbQwGdJ8nU7ZvPzA=="},
	{"react-native-screens", "4.30.1", "sha512-wLzZSQpvMx3FxIlDnb6raDJjsv2x45tFLGFz8RFUvxHzsKU9dWOkZYv9fy2siWtFf3eWGcRh66hL+o+dHhRJLQ=="},
	{"react-native-gesture-handler", "3.5.0", "sha512-bm8yepwMBUhEOSeU7WQbNNrstD0Hbv6i+XsApARBJSlb+WlRvyaQsobi+tZ5Uyr5kDVgXzg6kPb+CWY9zvyfEw=="},
}

// kotlinCorpora returns 12 MB of Kotlin: the listed packages, and the sources of the standard
// library and of reflection from the compiler's distribution.
func kotlinCorpora(t testing.TB, compiler string) []project {
	var all []project
	for _, p := range kotlinPackages {
		all = append(all, sources(t, p.name, corpus.NPM(t, p.name, p.version, p.integrity), nil, ".kt", ".kts"))
	}
	for _, library := range []string{"stdlib", "reflect", "test"} {
		archive := filepath.Join(compiler, "lib", "kotlin-"+library+"-sources.jar")
		dir := unzip(t, archive, func(path string) bool { return strings.HasSuffix(path, ".kt") })
		all = append(all, sources(t, library, dir, nil, ".kt"))
	}
	return all
}

// kotlinc asks the parser of the Kotlin compiler.
func kotlinc(t testing.TB, compiler string, corpora []project) parsecheck.Found {
	t.Helper()
	classes := t.TempDir()
	path := filepath.Join(compiler, "lib", "*")
	compile := exec.Command(program(t, "javac", "openjdk-17-jdk-headless"), "-nowarn", "-cp", path, "-d", classes, "oracles/KotlinOracle.java")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var files []string // of all corpora: the compiler takes its time to start
	for _, c := range corpora {
		for _, file := range c.files {
			files = append(files, filepath.Join(c.dir, file))
		}
	}
	found := parsecheck.Run(t, "", files, "java", "-Xss64m", "-cp", classes+string(filepath.ListSeparator)+path, "KotlinOracle")
	return several(corpora, func(dir string, files []string) parsecheck.Found {
		of := parsecheck.Found{}
		for _, file := range files {
			if decls, ok := found[filepath.Join(dir, file)]; ok {
				of[file] = decls
			}
		}
		return of
	})
}

// Callables and types, local ones and functions bound to names included, and
// values: properties of types, of files and of constructors, entries of enums.
func TestKotlin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the compiler takes 20 s")
	}
	compiler := corpus.NPM(t, "kotlin-compiler", "2.4.20", "sha512-IF5IVM7LpPhA/ntHQQpaVt1yxpaaQovtEVYLyqWMuaLr0XelLPPm7/sM6HLhtcRjjjoSsK7I7lP2kzYJkMy73w==")
	corpora := kotlinCorpora(t, compiler)
	oracle := kotlinc(t, compiler, corpora)
	t.Run("callables and types", func(t *testing.T) {
		got := parsed(t, outline.Parser{}, source.Kotlin, corpora, parsecheck.Want{})
		parsecheck.Compare(part(oracle, false), got).Require(t, 99.8)
	})
	t.Run("values", func(t *testing.T) {
		got := parsed(t, outline.Parser{}, source.Kotlin, corpora, parsecheck.Want{Chunk: valueChunk})
		parsecheck.Compare(part(oracle, true), got).Require(t, 99.8)
	})
}
