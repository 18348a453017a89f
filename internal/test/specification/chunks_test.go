package specification

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// swiftSource is a file with two functions.
const swiftSource = "/// Adds two numbers.\nfunc add(a: Int, b: Int) -> Int {\n    return a + b\n}\n\nfunc other() {}\n"

func TestChunks(t *testing.T) {
	t.Parallel()
	s := &subject{t: t, dir: t.TempDir()}
	var many, long strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&many, "func f%d() {}\n", n)
	}
	long.WriteString("func long() {\n")
	for long.Len() < 100_000 {
		long.WriteString("    print(\"line\")\n")
	}
	long.WriteString("}\n")
	s.write(map[string]string{
		"src/deep/add.swift": swiftSource, "k.kt": "fun greet(name: String): String { return name }\n", "many.swift": many.String(), "long.swift": long.String(),
		"twice.swift": "func same() {}\n\nclass C {\n    func same() {}\n}\n",
	})
	s.connect(transport.Command{Path: program(t, "chunks"), Env: environ(t), Args: []string{"-root", s.dir, "-profile", "chunks-strict"}}, nil)
	root, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	add := filepath.Join(s.dir, "src", "deep", "add.swift")
	s.samples = []sample{{"analyze_project", map[string]any{"projectPath": s.dir}}}
	// list decodes the JSON list in the first text block of a result.
	list := func(tool string, args map[string]any, into any) error {
		result, err := s.call(tool, args)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(text(result), "\n[")
		if err := json.Unmarshal([]byte(first), into); err != nil || result.IsError {
			return fmt.Errorf("%s: %w: %.300s", tool, err, text(result))
		}
		return nil
	}
	files := func(pattern string) check {
		return func(row) error {
			var paths []string
			if err := list("find_file", map[string]any{"pattern": pattern}, &paths); err != nil {
				return err
			}
			return expect(len(paths) == 1 && (paths[0] == add || paths[0] == filepath.Join(root, "src", "deep", "add.swift")), paths)
		}
	}
	functions := func(tool, query string) check {
		return func(row) error {
			args := map[string]any{"filePath": add}
			if query != "" {
				args["functionQuery"] = query
			}
			var found []struct{ ID, Signature string }
			if err := list(tool, args, &found); err != nil {
				return err
			}
			return expect(len(found) > 0 && found[0].ID != "" && found[0].Signature == "func add(a: Int, b: Int) -> Int", found)
		}
	}
	chunk := func(tool string, args map[string]any) check {
		return func(row) error {
			result, err := s.call(tool, args)
			if err != nil {
				return err
			}
			return expect(!result.IsError && strings.Contains(text(result), "/// Adds two numbers.") && strings.Contains(text(result), "return a + b"), text(result))
		}
	}
	unknown := func(tool string, args map[string]any) check {
		return func(row) error {
			result, err := s.call(tool, args)
			if err != nil {
				return err
			}
			return expect(result.IsError && text(result) != "", text(result))
		}
	}
	var all []struct{ ID, Signature string }
	if err := list("list_functions_in_file", map[string]any{"filePath": add}, &all); err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	answers := []sample{
		{"find_file", map[string]any{"pattern": "*.swift"}},
		{"find_function", map[string]any{"filePath": add, "functionQuery": "add"}},
		{"list_functions_in_file", map[string]any{"filePath": add}},
		{"get_function_chunk", map[string]any{"filePath": add, "functionSignature": "func add(a: Int, b: Int) -> Int"}},
		{"get_chunk", map[string]any{"chunkId": all[0].ID}},
		{"analyze_project", map[string]any{"projectPath": s.dir}},
	}
	s.checks = map[string]check{
		"behaviour find_file returns":                      files("*add.swift"),
		"behaviour find_file by a glob with directories":   files("src/**/*.swift"),
		"behaviour find_file by a part of a name":          files("add"),
		"behaviour find_function returns":                  functions("find_function", "add"),
		"behaviour find_function by a part of a signature": functions("find_function", "a: Int, b"),
		"behaviour list_functions_in_file returns":         functions("list_functions_in_file", ""),
		"behaviour get_function_chunk returns":             chunk("get_function_chunk", map[string]any{"filePath": add, "functionSignature": "func add(a: Int, b: Int) -> Int"}),
		"behaviour get_chunk returns":                      chunk("get_chunk", map[string]any{"chunkId": all[0].ID}),
		"behaviour get_chunk of an unknown id":             unknown("get_chunk", map[string]any{"chunkId": "none#none"}),
		"error CHUNK_NOT_FOUND":                            unknown("get_function_chunk", map[string]any{"filePath": add, "functionSignature": "func none()"}),
		"limit list_functions_in_file of 3000 functions": func(row) error {
			var found []struct{ ID, Signature string }
			err := list("list_functions_in_file", map[string]any{"filePath": filepath.Join(s.dir, "many.swift")}, &found)
			return errors.Join(err, expect(len(found) == 3000, len(found)))
		},
		"limit get_function_chunk of 100 KB": func(row) error {
			result, err := s.call("get_function_chunk", map[string]any{"filePath": filepath.Join(s.dir, "long.swift"), "functionSignature": "func long()"})
			if err != nil {
				return err
			}
			return expect(len(text(result)) > 100_000, len(text(result)))
		},
		"behaviour status after an analysis": func(row) error {
			return expect(at(s.results["analyze_project"][0], "status") == "success", s.results["analyze_project"])
		},
		"behaviour chunks are kept as JSON": func(row) error {
			lines := 0 // the files of the index, each as a JSON text on a line of its own
			for line := range strings.Lines(s.read("data/chunks/chunks.jsonl")) {
				if lines++; !json.Valid([]byte(line)) {
					return fmt.Errorf("no JSON: %.200s", line)
				}
			}
			return expect(lines == 5, lines)
		},
		"behaviour Swift and Kotlin": func(row) error {
			var found []struct{ ID, Signature string }
			err := list("list_functions_in_file", map[string]any{"filePath": filepath.Join(s.dir, "k.kt"), "language": "kotlin"}, &found)
			return errors.Join(err, expect(len(found) == 1, found))
		},
		"limit a large file is never answered as a whole": func(row) error {
			result, err := s.call("get_function_chunk", map[string]any{"filePath": filepath.Join(s.dir, "many.swift"), "functionSignature": "func f7()"})
			return errors.Join(err, expect(len(text(result)) < 100, text(result)))
		},
		"behaviour the language by the extension of the file": func(row) error {
			var found []struct{ ID, Signature string }
			err := list("find_function", map[string]any{"filePath": filepath.Join(s.dir, "k.kt"), "functionQuery": "greet"}, &found)
			return errors.Join(err, expect(len(found) == 1 && found[0].Signature == "fun greet(name: String): String", found))
		},
		"behaviour the id of a chunk is its signature": func(row) error {
			result, err := s.call("get_chunk", map[string]any{"chunkId": "func add(a: Int, b: Int) -> Int"})
			return errors.Join(err, expect(!result.IsError, text(result)))
		},
		"behaviour a changed file": func(row) error {
			s.write(map[string]string{"changed.swift": "func now() { first() }\n"})
			args := map[string]any{"filePath": filepath.Join(s.dir, "changed.swift"), "functionSignature": "func now()"}
			if _, err := s.call("get_function_chunk", args); err != nil {
				return err
			}
			s.write(map[string]string{"changed.swift": "func now() { second() }\n"})
			result, err := s.call("get_function_chunk", args)
			return errors.Join(err, expect(strings.Contains(text(result), "second()"), text(result)))
		},
		"behaviour content of every result": func(row) error {
			for _, c := range answers {
				result, err := s.call(c.tool, c.args)
				if err != nil {
					return err
				}
				if len(result.Blocks()) != 1 {
					return fmt.Errorf("%s: %d blocks", c.tool, len(result.Blocks()))
				}
				if _, ok := result.Blocks()[0].(mcp.TextContent); !ok {
					return fmt.Errorf("%s: %+v", c.tool, result.Blocks())
				}
			}
			return nil
		},
		"behaviour isError of a result without an error": func(row) error {
			for _, c := range answers {
				if result, err := s.call(c.tool, c.args); err != nil || result.IsError {
					return fmt.Errorf("%s: %w: %s", c.tool, err, text(result))
				}
			}
			return nil
		},
		"behaviour find_file by a pattern without a match": func(row) error {
			result, err := s.call("find_file", map[string]any{"pattern": "*.none"})
			return errors.Join(err, expect(!result.IsError && strings.HasPrefix(text(result), "[]"), text(result)))
		},
		"behaviour find_function with language": func(row) error {
			var found []struct{ ID, Signature string }
			err := list("find_function", map[string]any{"filePath": add, "functionQuery": "add", "language": "swift"}, &found)
			return errors.Join(err, expect(len(found) == 1, found))
		},
		"behaviour find_function without a match": func(row) error {
			result, err := s.call("find_function", map[string]any{"filePath": add, "functionQuery": "nothing_like_it"})
			return errors.Join(err, expect(!result.IsError && strings.HasPrefix(text(result), "[]"), text(result)))
		},
		"behaviour ids of functions with one signature": func(row) error {
			var found []struct{ ID, Signature string }
			err := list("list_functions_in_file", map[string]any{"filePath": filepath.Join(s.dir, "twice.swift")}, &found)
			return errors.Join(err, expect(len(found) == 2 && found[0].Signature == found[1].Signature && found[0].ID != found[1].ID, found))
		},
		"behaviour the id of find_function": func(row) error {
			var found []struct{ ID, Signature string }
			if err := list("find_function", map[string]any{"filePath": add, "functionQuery": "add"}, &found); err != nil || len(found) == 0 {
				return fmt.Errorf("found %v: %w", found, err)
			}
			return chunk("get_chunk", map[string]any{"chunkId": found[0].ID})(row{})
		},
		"error FILE_NOT_FOUND":    s.fails("find_function", map[string]any{"filePath": filepath.Join(s.dir, "none.swift"), "functionQuery": "x"}),
		"error PERMISSION_DENIED": s.fails("find_function", map[string]any{"filePath": filepath.Join(filepath.Dir(s.dir), "x.swift"), "functionQuery": "x"}),
		"behaviour message of analyze_project": func(row) error {
			return expect(at(s.results["analyze_project"][0], "message") != "", s.results["analyze_project"])
		},
		"behaviour a record of a chunk": func(row) error {
			return expect(containsAll(s.read("data/chunks/chunks.jsonl"), `"path":"src/deep/add.swift"`, `{"kind":"function","names":["add`), "no record")
		},
		"behaviour get_chunk after a restart": func(row) error {
			again := &subject{t: t, dir: s.dir}
			again.connect(transport.Command{Path: program(t, "chunks"), Env: environ(t), Args: []string{"-root", s.dir, "-profile", "chunks-strict"}}, nil)
			result, err := again.call("get_chunk", map[string]any{"chunkId": all[0].ID})
			return errors.Join(err, expect(!result.IsError && strings.Contains(text(result), "return a + b"), text(result)))
		},
		"behaviour texts name only tools and parameters of the specification": func(row) error { return s.checkTexts() },
	}
	s.run("chunks.tsv", nil)
}
