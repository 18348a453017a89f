package treesitter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

func TestSplit(t *testing.T) {
	if os.Getenv("SPLIT") == "" {
		t.Skip()
	}
	lang := parse.Language(os.Getenv("SPLIT"))
	k := newKeeper(Options{CacheDir: "/tmp/try/cache"})
	for _, g := range grammars() {
		if g.language != lang {
			continue
		}
		e := newEngine(g, k)
		now := time.Now()
		c, err := e.load()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("load", time.Since(now), "image", len(c.image))
		now = time.Now()
		in, _ := c.instance()
		fmt.Println("instance", time.Since(now))
		var text, prs, run, rest time.Duration
		n := 0
		filepath.Walk(os.Getenv("DIR"), func(name string, info os.FileInfo, err error) error {
			l, ok := parse.LanguageOf(name, nil)
			if !ok || l != lang || n > 1000000 {
				return nil
			}
			src, _ := os.ReadFile(name)
			n += len(src)
			ctx := context.Background()
			t0 := time.Now()
			in.text(ctx, src)
			t1 := time.Now()
			in.call(ctx, in.parse)
			t2 := time.Now()
			f := &found{code: c}
			in.matches(ctx, f, declarations)
			t3 := time.Now()
			build(src, &e.grammar, f, parse.Options{})
			t4 := time.Now()
			text += t1.Sub(t0)
			prs += t2.Sub(t1)
			run += t3.Sub(t2)
			rest += t4.Sub(t3)
			return nil
		})
		fmt.Println(n, "text", text, "parse", prs, "run", run, "build", rest, "mem", in.size())
	}
}
