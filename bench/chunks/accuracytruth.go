package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// luaTruth returns the functions with a name that the listing of luac has. A file that luac cannot read has none.
func luaTruth(ctx context.Context, dir string, names []string) (map[string][]extent, error) {
	program, err := exec.LookPath("luac")
	if err != nil {
		return nil, err
	}
	listed := regexp.MustCompile(`(?m)^function <.*:(\d+),(\d+)>`)
	named := regexp.MustCompile(`\bfunction\s+[\w.:]+\s*\(|[\w.]+\s*=\s*function\b`)
	found := map[string][]extent{}
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		out, err := exec.CommandContext(ctx, program, "-p", "-l", filepath.Join(dir, name)).Output()
		if err != nil {
			continue
		}
		lines := bytes.Split(src, []byte("\n"))
		for _, m := range listed.FindAllSubmatch(out, -1) {
			first, err1 := strconv.Atoi(string(m[1]))
			last, err2 := strconv.Atoi(string(m[2]))
			if err1 == nil && err2 == nil && first > 0 && first <= len(lines) && named.Match(lines[first-1]) {
				found[name] = append(found[name], extent{"", first, last})
			}
		}
	}
	return found, nil
}

// shellTruth returns the functions that the parser of the formatter shfmt finds.
func shellTruth(_ context.Context, dir string, names []string) (map[string][]extent, error) {
	found := map[string][]extent{}
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(src), name)
		if err != nil {
			continue
		}
		syntax.Walk(file, func(node syntax.Node) bool {
			if f, ok := node.(*syntax.FuncDecl); ok && f.Name != nil {
				found[name] = append(found[name], extent{f.Name.Value, int(f.Pos().Line()), int(f.End().Line())})
			}
			return true
		})
	}
	return found, nil
}

// layoutTruth returns the functions of files in the layout of a formatter: a line that head matches begins one, and the next line with the
// same indentation that close begins ends it. The name is the first group of head that is not empty. A function without such an end is left out.
func layoutTruth(head, closing string) func(ctx context.Context, dir string, names []string) (map[string][]extent, error) {
	begins, ends := regexp.MustCompile(`^[ \t]*(?:`+head+`)`), regexp.MustCompile(`^[ \t]*(?:`+closing+`)`)
	return func(_ context.Context, dir string, names []string) (map[string][]extent, error) {
		found := map[string][]extent{}
		for _, name := range names {
			src, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, fmt.Errorf("read a source file: %w", err)
			}
			lines := strings.Split(string(src), "\n")
			for i, text := range lines {
				m := begins.FindStringSubmatch(text)
				if m == nil || strings.HasSuffix(strings.TrimRight(text, "\r"), "\\") { // a line of a macro of C
					continue
				}
				word := ""
				for _, group := range m[1:] {
					if word == "" {
						word = group
					}
				}
				if last := layoutEnd(lines, i, ends); last > 0 {
					found[name] = append(found[name], extent{word, i + 1, last})
				}
			}
		}
		return found, nil
	}
}

// layoutEnd returns the last line, from 1, of a block whose first line has the index first; 0 if the block has no clear end.
func layoutEnd(lines []string, first int, ends *regexp.Regexp) int {
	depth := indentation(lines[first])
	for i := first + 1; i < len(lines); i++ {
		text := strings.TrimRight(lines[i], " \t\r")
		if text == "" || indentation(text) > depth {
			continue
		}
		if indentation(text) == depth && ends.MatchString(text) {
			return i + 1
		}
		if rest := strings.TrimLeft(text, " \t"); indentation(text) == depth && (rest[0] == ')' || rest[0] == '{') {
			continue
		}
		return 0
	}
	return 0
}

func indentation(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// truthByHeads returns the functions whose first line matches head. end returns the extent of the function at a line, or false if its
// end is not certain.
func truthByHeads(dir string, names []string, head *regexp.Regexp, end func(lines []string, first int, match []string) (extent, bool)) (map[string][]extent, error) {
	found := map[string][]extent{}
	for _, name := range names {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(src), "\n")
		for i, text := range lines {
			m := head.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			if e, ok := end(lines, i, m); ok {
				found[name] = append(found[name], e)
			}
		}
	}
	return found, nil
}

// haskellTruth returns the functions of a file by the signatures at its margin. The last line is that of the next text at the margin that is
// neither an equation of the function nor a comment, without the blank lines before it.
func haskellTruth(_ context.Context, dir string, names []string) (map[string][]extent, error) {
	return truthByHeads(dir, names, regexp.MustCompile(`^([a-z_][\w']*)[ \t]+::`), func(lines []string, i int, m []string) (extent, bool) {
		last, ok := i+1, false
		for j := i + 1; j < len(lines); j++ {
			rest := strings.TrimRight(lines[j], " \t\r")
			if rest == "" {
				continue
			}
			if indentation(rest) == 0 && !strings.HasPrefix(rest+" ", m[1]+" ") {
				ok = !strings.HasPrefix(rest, "#") && rest[0] != '`' && rest[0] != '('
				break
			}
			if strings.HasPrefix(strings.TrimLeft(rest, " "), "--") {
				continue
			}
			last = j + 1
		}
		return extent{m[1], i + 1, last}, ok && last > i+1
	})
}

// sqlTruth returns the functions and procedures that a line begins with, up to the line that ends with the semicolon of the statement.
func sqlTruth(_ context.Context, dir string, names []string) (map[string][]extent, error) {
	head := regexp.MustCompile(`(?i)^create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:\w+\.)?"?(\w+)"?`)
	quote := regexp.MustCompile(`\$\w*\$`)
	return truthByHeads(dir, names, head, func(lines []string, i int, m []string) (extent, bool) {
		inside := false
		for j := i; j < len(lines); j++ {
			if len(quote.FindAllString(lines[j], -1))%2 == 1 {
				inside = !inside
			}
			if !inside && strings.HasSuffix(strings.TrimRight(lines[j], " \t\r"), ";") {
				return extent{strings.ToLower(m[1]), i + 1, j + 1}, true
			}
		}
		return extent{}, false
	})
}
