package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// stream is the output of an agent.
type stream struct {
	name  string
	text  []byte
	lines int
}

const mixed = "mixed"

type object = map[string]any

// streams returns output of the given size in different mixtures, always the same.
func streams(size int) []stream {
	r := rand.New(rand.NewPCG(1, 2))
	code := source(r)
	text := func() object { return delta(r) }
	read := func() object {
		return completed("readToolCall", object{"path": "/w/a.go"}, object{"content": stretch(r, code, 2<<10, 60<<10), "isEmpty": false, "totalLines": 900, "path": "/w/a.go"})
	}
	edit := func() object {
		before := stretch(r, code, 4<<10, 100<<10)
		return completed("editToolCall", object{"path": "/w/a.go", "strReplace": object{"oldText": before[:100], "newText": before[100:300], "replaceAll": false}}, object{
			"path": "/w/a.go", "linesAdded": 3, "linesRemoved": 2, "beforeFullFileContent": before, "afterFullFileContent": before + "// changed\n",
			"diffString": "--- a/a.go\n+++ b/a.go\n@@ -1,30 +1,31 @@\n" + stretch(r, code, 500, 3<<10), "message": "The file was changed.",
		})
	}
	huge := func() object {
		before := strings.Repeat(code, 1+r.IntN(4))
		return completed("editToolCall", object{"path": "/w/big.go"}, object{"path": "/w/big.go", "beforeFullFileContent": before, "afterFullFileContent": before, "diffString": "--- a/big.go\n+++ b/big.go\n"})
	}
	return []stream{
		fill("text, bit by bit", size/4, text),
		fill("files read", size, read),
		fill("files edited", size, edit),
		fill("huge lines", size, huge),
		fill(mixed, size, func() object {
			switch n := r.IntN(100); {
			case n < 80:
				return text()
			case n < 93:
				return read()
			}
			return edit()
		}),
	}
}

// fill makes a stream of events.
func fill(name string, size int, event func() object) stream {
	s := stream{name: name}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for b.Len() < size {
		if err := encoder.Encode(event()); err != nil {
			panic(err) // maps of strings can always be encoded
		}
		s.lines++
	}
	s.text = []byte(b.String())
	return s
}

const session = "9c4b2f0e-5a0e-4a8e-9a0c-6e2a8d1b7f10"

func delta(r *rand.Rand) object {
	words := []string{" the", " file", " is", " read", "、そして", " return", "ed", " it", ".", "\n"}
	text := words[r.IntN(len(words))]
	if r.IntN(3) == 0 {
		return object{"type": "thinking", "subtype": "delta", "text": text, "session_id": session, "timestamp_ms": 1770823434041 + r.IntN(1000)}
	}
	return object{"type": "assistant", "message": object{"role": "assistant", "content": []object{{"type": "text", "text": text}}}, "session_id": session, "timestamp_ms": 1770823434041 + r.IntN(1000)}
}

func completed(kind string, args, success object) object {
	return object{
		"type": "tool_call", "subtype": "completed", "call_id": "toolu_01ABC\nfc_01", "model_call_id": session + "-0", "session_id": session, "timestamp_ms": 1770823449565,
		"tool_call": object{kind: object{"args": args, "result": object{"success": success}}},
	}
}

// source returns text that resembles a program.
func source(r *rand.Rand) string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "// handler%d answers a request, 要求に答える.\nfunc handler%d(w http.ResponseWriter, r *http.Request) error {\n\tif r.Method != \"POST\" {\n\t\treturn fmt.Errorf(\"%%s is not allowed: %d\", r.Method)\n\t}\n\treturn nil\n}\n\n", i, i, r.IntN(1000))
	}
	return b.String()
}

// stretch returns a random part of a text, in whole characters.
func stretch(r *rand.Rand, text string, least, most int) string {
	n := least + r.IntN(most-least)
	at := r.IntN(len(text) - n)
	return strings.ToValidUTF8(text[at:at+n], "")
}
