package notices_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/release/internal/notices"
)

const root = "../../.."

func open(t *testing.T) *notices.Source {
	t.Helper()
	s, err := notices.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestIdentify(t *testing.T) {
	license, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ text, want string }{
		{string(license), "Apache-2.0"},
		{"MIT License\n\nPermission is hereby granted,\nfree of charge, to … THE SOFTWARE IS PROVIDED \"AS IS\"", "MIT"},
		{"Redistribution and use in source and binary\nforms … Neither the name of", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms … AS IS", "BSD-2-Clause"},
		{"Permission to use, copy, modify, and distribute this software for any purpose", "ISC"},
		{"Mozilla Public License, version 2.0", "MPL-2.0"},
		{"This is free and unencumbered software released", "Unlicense"},
		{"All rights reserved.", ""},
		{"", ""},
	} {
		if got := notices.Identify([]byte(tc.text)); got != tc.want {
			t.Errorf("%.40q: %q, want %q", tc.text, got, tc.want)
		}
	}
}

// Every module has its license texts.
func TestModules(t *testing.T) {
	s := open(t)
	m, err := s.Module("github.com/coder/websocket", version(t, "github.com/coder/websocket"), "h1:x")
	if err != nil || m.ID != "ISC" || len(m.Texts) == 0 || m.Sum != "h1:x" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := s.Module("example.com/none", "v1.0.0", ""); err == nil || !strings.Contains(err.Error(), "example.com/none v1.0.0") {
		t.Error(err)
	}
	std, err := s.Std(strings.TrimPrefix(runtime.Version(), "go"))
	if err != nil || std.ID != "BSD-3-Clause" {
		t.Errorf("%+v, %v", std, err)
	}
}

// version returns the version of a module in go.mod.
func version(t *testing.T, module string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "tools", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == module {
			return fields[1]
		}
	}
	t.Fatal("it is not in go.mod: " + module)
	return ""
}

// Embedded content has licenses, too: grammars, and libraries of web pages.
func TestEmbedded(t *testing.T) {
	s := open(t)
	chunks, err := s.Embedded(t.Context(), "chunks")
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, text := range chunks {
		if names[text.Name] = true; len(text.Content) == 0 {
			t.Errorf("%s is empty", text.Name)
		}
	}
	if !names["tools/source/treesitter/grammars/LICENSES/tree-sitter-go"] || names["tools/agents/dashboard/web/dist/licenses.md"] {
		t.Errorf("%v", names)
	}
	if hello, err := s.Embedded(t.Context(), "hello"); err != nil || len(hello) != 0 {
		t.Errorf("%v, %v", hello, err)
	}
	if _, err := s.Embedded(t.Context(), "none"); err == nil {
		t.Error("there is no such program")
	}
}

func TestDocument(t *testing.T) {
	text := string(notices.Document("prog 1.2.3",
		[]notices.Module{{Path: "example.com/m", Version: "v1.0.0", ID: "MIT", Texts: []notices.Text{{Name: "LICENSE", Content: []byte("first\r\nsecond\n")}}}},
		[]notices.Text{{Name: "a/LICENSES/b", Content: []byte("third")}}))
	for _, want := range []string{"prog 1.2.3 contains", "  example.com/m v1.0.0 (MIT)\n", "\nexample.com/m v1.0.0: LICENSE\n", "first\nsecond\n", "  a/LICENSES/b\n", "\na/LICENSES/b\n", "third\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
