package parsecheck_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// javaScriptCorpora returns hand-written and compiled modules: 2,947 files, 35 MB. Minified files
// are excluded.
func javaScriptCorpora(t testing.TB) []project {
	minified := func(path string) bool {
		return strings.Contains(path, ".min.") || strings.HasPrefix(path, "build/") || strings.HasPrefix(path, "umd/") || strings.Contains(path, "bundles/")
	}
	var all []project
	for _, p := range []npmPackage{
		{"react", "19.3.1", "sha512-QNhWdt7nrgVWWQG58QuGsAR3jv3Hbe4mb4vz7w2csnHavciZJgda1CPNaldF6eVxv90ud3jUXpKlHL69gO38yw==", minified},
		{"react-dom", "19.3.1", "sha512-Y0bARz53lhEC1NMCASs0/j+faB/zqt3R8hpvg1e8+61ZVJ4UL0UdC4cBbXfZMcIuhrfgeILTLe+ZeBCavQPtKQ==", minified},
		{"rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA==", minified},
		{"three", "0.187.0", "sha512-Qiu7R+Cmh8CstZsY1uJOSWnVlfo7ZtNLV7mF8Jltk3LB3AtDu9cRZlcnRKkAk8Y4z6KKw35z7Y7Urd7jWY8etA==", minified},
		{"webpack", "5.112.2", "sha512-B2tp1LI9D8GVpPDqprdt12ukTkXXahj9MzqSWJq4faSPgOUM7CdZaGAB6HrL/8E6UwbBpdj4vzWDbKoFnVoU6g==", minified},
		{"@wordpress/components", "41.0.0", "sha512-phVMPF/vfxOX6LZKXb7HUPRrEwVIWqAkuKoaIjRPB1JL5Pdj4c1DGBOb4EAD9VjEF3Bio79V28vw0L8mx0a2Kw==", elsewhere("src/")},
	} {
		all = append(all, p.sources(t, ".js", ".mjs", ".cjs", ".jsx"))
	}
	return all
}

func TestJavaScript(t *testing.T) {
	t.Parallel()
	againstCompiler(t, source.JavaScript, javaScriptCorpora(t))
}
