package treesitter_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

func TestZZ(t *testing.T) {
	p := grammarsOf(t)
	for _, n := range strings.Fields("t.go t.py t.java t.swift t.ts t.tsx t.js t.kt") {
		src, _ := os.ReadFile("/tmp/gold/" + n)
		lang, _ := parse.LanguageOf(n, nil)
		f, err := p.Parse(t.Context(), src, lang, parse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := foundIn(f)
		os.WriteFile("/tmp/gold/"+n+".want", []byte(out), 0o644)
		fmt.Println("==", n)
		fmt.Print(out)
	}
}
