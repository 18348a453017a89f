package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of the sizes of files for generated tasks, in bytes.
const (
	leastFile = 5 << 10
	mostFile  = 60 << 10
)

// function is a function for which a task can be generated.
type function struct {
	file string
	size int
	name string
	body string // a line of its body that is unique in the file, without indentation
	tabs string // its indentation
}

// generate returns n tasks. Functions in files of 5 to 60 KB are sorted by the size of their file and chosen at equal intervals, so
// that each function is equally likely. told adds the name of the file to the tasks.
func (r *repository) generate(n int, told bool) (tasks []task, all []function, err error) {
	for _, file := range r.files {
		src, err := r.read(file)
		if err != nil {
			return nil, nil, err
		}
		if len(src) >= leastFile && len(src) <= mostFile && (r.tests == nil || !r.tests.MatchString(file)) {
			all = append(all, r.findFunctions(file, src)...)
		}
	}
	slices.SortStableFunc(all, func(a, b function) int { return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.file, b.file)) })
	for i := range min(n, len(all)) {
		p := all[(2*i+1)*len(all)/(2*n)]
		query := p.name
		if i%2 == 1 {
			query = part(p.name)
		}
		t, err := task{
			repository: r.name, file: p.file, query: query, exact: i%2 == 0, told: told,
			story: fmt.Sprintf("Mark what is checked in the middle of %s.", p.name),
			old:   p.body, new: "// checked: see the tests\n" + p.tabs + p.body,
		}.set(r)
		if err != nil {
			return nil, nil, err
		}
		tasks = append(tasks, t)
	}
	return tasks, all, nil
}

// findFunctions finds functions by the lines that begin and end them.
func (r *repository) findFunctions(file, src string) []function {
	lines := strings.Split(src, "\n")
	var all []function
	for i, line := range lines {
		name := r.begins(line)
		if name == "" {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		end := i + 1
		for end < len(lines) && strings.TrimRight(lines[end], ")") != indent+"}" {
			end++
		}
		if at, ok := middle(src, lines[i+1:min(end, len(lines))]); ok {
			body := lines[i+1+at]
			text := strings.TrimLeft(body, " \t")
			all = append(all, function{file, len(src), name, text, body[:len(body)-len(text)]})
		}
	}
	return all
}

func (r *repository) begins(line string) (name string) {
	for _, head := range r.heads {
		if m := head.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// whole matches a line that resembles a complete statement, before which a comment can be inserted.
var whole = regexp.MustCompile(`^(?:return|let|const|val|var|if|for|guard|switch|[a-z]\w*(?:\.\w+)* :?=|[a-z]\w*(?:\.\w+)*\()`)

// middle returns the line nearest to the middle of a body that is a statement and unique in the file.
func middle(src string, body []string) (int, bool) {
	best, found := 0, false
	for i, line := range body {
		text := strings.TrimLeft(line, " \t")
		if len(text) < 12 || !whole.MatchString(text) || strings.Count(src, text) != 1 {
			continue
		}
		if !found || distance(i, len(body)) < distance(best, len(body)) {
			best, found = i, true
		}
	}
	return best, found
}

func distance(i, n int) int { return max(2*i-n, n-2*i) }

// words matches the words of a name.
var words = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// part returns the part of a name that a user may remember: its first two words, if there are more.
func part(name string) string {
	all := words.FindAllStringIndex(name, -1)
	if len(all) < 3 {
		return name
	}
	return name[:all[1][1]]
}
