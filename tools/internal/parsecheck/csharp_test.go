package parsecheck_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// TestCSharp compares methods, accessors, operators, local functions, types and
// functions bound to names with the parser of Roslyn, Microsoft's compiler, which
// comes in a package of npm and runs in Mono. It knows C# 10: files in a newer
// one are left out.
func TestCSharp(t *testing.T) {
	t.Parallel()
	run := roslyn(t)
	corpora := []project{
		sources(t, "unirx", corpus.NPM(t, "com.neuecc.unirx", "7.1.0", "sha512-UpgdeFz60ZvD8jR1slG4X+Yuym8gP3FHWXczJbnXYJzSjr57X1Tz6dZee8twU+Qk4ld8QeFjdhj8PlCBsgHx1g=="), nil, ".cs"),
		sources(t, "unitask", corpus.NPM(t, "com.cysharp.unitask", "2.2.5", "sha512-OEJc4HumXjKXXtr2TUjgA7YOcPOaLyV9kuWcp7SylFfe1Rzes0UPCJI1a4LtV3Mhg7oxf8FHoLGWr/cHIKHWsw=="), nil, ".cs"),
		sources(t, "justtrack", corpus.NPM(t, "io.justtrack.justtrack-unity-sdk", "8.0.0", "sha512-q72/seHVu1uPRxuwmt67q30Uh9h/fPgWBGD3e8jejmSxcMMXUhv5nK+3dRHRntathodNJHI2bQkjHKwvBxAkAw=="), nil, ".cs"),
		sources(t, "hypersdk", corpus.NPM(t, "app.hypergames.hypersdk", "1.10.0", "sha512-UyBbFm/ecZSUnXMd0klpcqjfpWV1GU8bKdcjTJm42CLEkIaCg+oM5eVpkHIIX4qiJJSmoK4K47tG/0Bu5s2qvQ=="), nil, ".cs"),
		sources(t, "crowdin", corpus.NPM(t, "com.crowdin.unity-plugin", "0.12.0", "sha512-Vr/9/BN0/K/Y9rGWZfFkuLaq6xxKm/99m3hR+iLFCCsMzlkhe25nE9flEOMaIk+YvrRqXy44pwiFPXBr9E9sXw=="), nil, ".cs"),
		sources(t, "react-native-windows", corpus.NPM(t, "react-native-windows", "0.79.0", "sha512-L7sQFC/X1I2NtXXTDfchRWRuK6St80zrAbee7SRYEZeGn+jNugtHNswuy6lkeTblGiHKm0Wgt6sJW9BuNs6cfQ=="), nil, ".cs"),
		sources(t, "keepass2", corpus.DebianSource(t, "keepass2"), nil, ".cs"),
		sources(t, "thrift", corpus.DebianSource(t, "thrift"), nil, ".cs"),
		sources(t, "protobuf", corpus.DebianSource(t, "protobuf"), nil, ".cs"),
	}
	want := several(corpora, run)
	got := parsed(t, grammarOf(t), source.CSharp, corpora, parsecheck.Want{})
	require(t, parsecheck.Compare(seen(want, got)), 99)
}

// roslyn builds the oracle and returns a function that runs it.
func roslyn(t *testing.T) func(dir string, files []string) parsecheck.Found {
	t.Helper()
	mcs, mono := program(t, "mcs", "mono-mcs"), program(t, "mono", "mono-runtime")
	compiler := corpus.NPM(t, "@autorest/csharp", "3.0.0-beta.20220322.1",
		"sha512-bH1Z3PY1EPUcJT6lpXdzCE8P0DdL4rNpRthMUSSEsHqT5FotwaA24yGe4ABISb2E9Up49XA0xpfNPFnOG8REZA==")
	facades := filepath.Join(corpus.Debian(t, "mono-devel"), "usr/lib/mono/4.5/Facades")
	out := t.TempDir()
	build := func(args ...string) {
		command := exec.Command(mcs, args...)
		command.Dir = out
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, said)
		}
	}
	build("-target:library", "-out:System.Memory.dll", oracle(t, "memory.cs"))
	build("-langversion:7", "-out:oracle.exe", "-lib:"+facades, "-lib:"+compiler, "-r:Microsoft.CodeAnalysis.dll", "-r:Microsoft.CodeAnalysis.CSharp.dll",
		"-r:System.Collections.Immutable.dll", "-r:System.Runtime.dll", "-r:System.Collections.dll", "-r:netstandard.dll", oracle(t, "csharp.cs"))
	libraries := "MONO_PATH=" + strings.Join([]string{compiler, out, facades}, ":")
	return func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, "env", libraries, mono, filepath.Join(out, "oracle.exe"))
	}
}

// seen removes declarations in code that the compiler skipped: between #if and #endif, under a
// condition that no tested set of symbols fulfils.
func seen(want, got parsecheck.Found) (parsecheck.Found, parsecheck.Found) {
	for path, decls := range want {
		var unseen, rest []parsecheck.Decl
		for _, d := range decls {
			if d.Kind == "unseen" {
				unseen = append(unseen, d)
			} else {
				rest = append(rest, d)
			}
		}
		want[path] = rest
		if found, ok := got[path]; ok && len(unseen) > 0 {
			got[path] = beyond(unseen, found)
		}
	}
	return want, got
}

// beyond are the declarations that lie in no stretch.
func beyond(stretches, decls []parsecheck.Decl) []parsecheck.Decl {
	rest := []parsecheck.Decl{}
next:
	for _, d := range decls {
		for _, s := range stretches {
			if s.Start <= d.Start && d.End <= s.End {
				continue next
			}
		}
		rest = append(rest, d)
	}
	return rest
}
