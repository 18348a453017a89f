package cparams_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source/internal/cparams"
)

func TestLabels(t *testing.T) {
	for list, want := range map[string]string{
		"()":                               "()",
		"(void)":                           "()",
		"(int a, char *b)":                 "(int,char*)",
		"(int, unsigned long long n)":      "(int,unsigned long long)",
		"(const std::string &s = \"a,b\")": "(std::string&)",
		"(std::map<K, V> m, T... rest)":    "(std::map<K,V>,T...)",
		"(void (*f)(int x), int argv[3])":  "(void(*)(int x),int[3])",
		"(T &&t /* a, b */, ...)":          "(T&&,...)",
		"(":                                "",
		"(\"never closed)":                 "(\"never)",
	} {
		if got := cparams.Labels([]byte(list)); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
}

func FuzzLabels(f *testing.F) {
	for _, seed := range []string{"(int a)", "(void (*f)(int)", "(/*", "(<>>,", "('"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		if got := cparams.Labels(list); len(got) > 2*len(list)+2 {
			t.Errorf("%d bytes for %d", len(got), len(list))
		}
	})
}
