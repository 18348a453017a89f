package treesitter_test

import (
	"context"
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/treesitter"
)

func TestMeasureHostile(t *testing.T) {
	p := treesitter.New(treesitter.Options{CacheDir: "/tmp/try/cache"})
	defer p.Close()
	rep := func(s string, n int) []byte { return bytes.Repeat([]byte(s), n/len(s)) }
	for _, lang := range parse.Languages() {
		if l := os.Getenv("HLANG"); l != "" && l != string(lang) {
			continue
		}
		for name, src := range map[string][]byte{
			"parens": rep("(", 100000), "braces": rep("{", 100000), "squares": rep("[", 100000), "angles": rep("a<", 200000), "mixed": rep("f({[", 400000),
			"closed":  append(rep("(", 100000), rep(")", 100000)...),
			"class":   rep("class A { ", 1000000),
			"word16M": rep("a", 16<<20), "line16M": rep("x = 1; ", 16<<20), "string": append([]byte(`x = "`), rep("a", 16<<20-10)...), "binary": rep("\x00\xff\x01'\"", 1<<20),
			"quotes": rep("\"'", 1<<20), "comment": rep("/*", 1<<20), "ops": rep("+-*", 1<<20), "bt": rep("`${", 1<<20),
		} {
			now := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			f, err := p.Parse(ctx, src, lang, parse.Options{Calls: true})
			cancel()
			d := time.Since(now)
			n, pr := 0, 0
			if err == nil {
				n, pr = len(f.Chunks), len(f.Problems)
				if len(src) < 1<<20 {
					if err := parsecheck.Invariants(src, f); err != nil {
						fmt.Println("INVARIANT", err)
					}
				}
			}
			if d > 1500*time.Millisecond {
				fmt.Println(lang, name, d.Round(time.Millisecond), n, pr, err)
			}
		}
	}
}
