package component_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/component"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/parsertest"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

const vue = `<template>
  <button @click="add">{{ total }}</button>
</template>

<script lang="ts">
export default { name: "cart" }
</script>

<script setup lang="ts">
import { ref } from 'vue'
const items = ref<number[]>([])
/** Adds an item. */
function add(n: number): void {
  items.value.push(n)
}
const total = () => items.value.length
</script>

<style scoped>
.a { color: red }
</style>
`

const svelte = `<script>
  export let name;
  $: doubled = count * 2;
  function greet() { return "</a>" }
</script>
<h1 on:click={greet}>{name}</h1>
<script type="application/ld+json">{ "function": 1 }</script>
<!-- <script>function old() {}</script> -->
`

const astro = `---
import Card from './Card.astro';
interface Props { title: string }
const { title } = Astro.props;
function label(n: number) { return n + title }
---
<Card>{label(1)}</Card>
<SCRIPT>
  class Menu { open() {} }
</SCRIPT>
`

func list(f *source.File) string {
	var b strings.Builder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		fmt.Fprintf(&b, "%d-%d %s %s\n", c.StartLine, c.EndLine, c.Kind, c.Path())
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "%d import %s\n", i.Line, i.Path)
	}
	return b.String()
}

func TestParse_ScriptsAlone(t *testing.T) {
	p := component.New(source.NewParsers(outline.Parser{}))
	for _, test := range []struct {
		lang      source.Language
		src, want string
	}{
		{"vue", vue, "11-11 constant items\n12-15 function add\n16-16 lambda total\n10 import vue\n"},
		{"svelte", svelte, "2-2 variable name\n4-4 function greet\n"},
		{"astro", astro, "3-3 interface Props\n3-3 property Props.title\n4-4 constant title\n5-5 function label\n9-9 class Menu\n9-9 method Menu.open\n2 import ./Card.astro\n"},
	} {
		f, err := p.Parse(t.Context(), []byte(test.src), test.lang, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := list(f); got != test.want {
			t.Errorf("%s: found\n%s\nwant\n%s", test.lang, got, test.want)
		}
	}
}

func TestParser(t *testing.T) {
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	grammars := treesitter.New(treesitter.Options{CacheDir: filepath.Join(dir, "dougu", "grammars")})
	defer grammars.Close()
	parsertest.Run(t, component.New(source.NewParsers(outline.Parser{}, grammars)), []parsertest.Sample{
		{Language: "vue", Source: vue}, {Language: "svelte", Source: svelte}, {Language: "astro", Source: astro},
		{Name: "broken", Language: "vue", Source: "<script>\nfunction f( {\n</script>\n", Broken: true},
	})
}
