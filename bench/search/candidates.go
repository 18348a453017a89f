package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/index"
)

// candidate is a possible query with its evidence. A person checks candidates before they become queries.
type candidate struct {
	kind  string   // "symbol", "identifier-part", "error-message", "documented" or "section"
	text  string   // the query; for "documented" and "section" the documentation, to be paraphrased
	paths []string // files with the answer
	at    string   // the text of the answer in its first file
}

// candidateSeed makes the order of candidates reproducible.
const candidateSeed = 27

// printCandidates prints the candidates of the repositories, in a fixed random order, as lines of fields that are separated by tabs.
func (b *bench) printCandidates(ctx context.Context) error {
	for _, r := range b.repositories {
		t, err := b.tree(ctx, r)
		if err != nil {
			return err
		}
		all := t.candidates()
		order := rand.New(rand.NewPCG(candidateSeed, uint64(len(all))))
		order.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for i, c := range all {
			fmt.Fprintf(b.stdout, "%s\t%d\t%s\t%s\t%s\t%s\n", r.Name, i, c.kind, c.text, strings.Join(c.paths, " "), c.at)
		}
	}
	return nil
}

// candidates returns all candidates of a tree. They depend on the sources alone, and on no ranking.
func (t *tree) candidates() []candidate {
	declared := map[string][]string{} // files by declared name
	first := map[string]string{}      // text of the first declaration by name
	var all []candidate
	for _, name := range t.names {
		f := t.files[name]
		if isSecondary(name) {
			continue
		}
		for i := range f.Pieces {
			p := &f.Pieces[i]
			if p.Name == "" || p.Kind == "file" {
				continue
			}
			if p.Kind == "section" {
				all = append(all, candidate{"section", p.Container + " > " + p.Name + ": " + clip(ownText(f, p), 150), []string{name}, p.Name})
				continue
			}
			at := declarationLine(f, p)
			if at == "" {
				continue
			}
			if !slices.Contains(declared[p.Name], name) {
				declared[p.Name] = append(declared[p.Name], name)
			}
			if first[p.Name] == "" {
				first[p.Name] = at
			}
			if doc := clip(string(f.Text[p.Doc.Start:p.Doc.End]), 200); utf8.RuneCountInString(doc) >= 30 {
				all = append(all, candidate{"documented", doc, []string{name}, at})
			}
		}
		all = append(all, messages(f)...)
	}
	all = append(all, names(declared, first)...)
	return uniqueMessages(all)
}

// isSecondary reports whether a path belongs to a test, an example, a translation or a generated or third-party file.
func isSecondary(path string) bool {
	for _, part := range []string{"test", "spec/", "example", "locale", "vendor/", "mock", "fixture", ".d.ts", "benches", "benchmark", "third_party", "polyfill", "translations/"} {
		if strings.Contains(strings.ToLower(path), part) {
			return true
		}
	}
	return false
}

// declarationLine returns the line with the name of a declaration, or "".
func declarationLine(f *index.File, p *index.Piece) string {
	for _, own := range p.Own {
		for at := int(own.Start); at < int(own.End); {
			if int(p.Doc.Start) <= at && at < int(p.Doc.End) {
				at = int(p.Doc.End)
			}
			end := int(own.End)
			if at < int(p.Doc.Start) {
				end = min(end, int(p.Doc.Start))
			}
			if at >= end {
				break
			}
			if next := bytes.IndexByte(f.Text[at:end], '\n'); next >= 0 {
				end = at + next + 1
			}
			line := strings.TrimSpace(string(f.Text[at:end]))
			if strings.Contains(line, p.Name) && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "*") && !strings.HasPrefix(line, "#") {
				return clip(line, 100)
			}
			at = end
		}
	}
	return ""
}

func ownText(f *index.File, p *index.Piece) string {
	var b strings.Builder
	for _, own := range p.Own {
		b.Write(f.Text[own.Start:own.End])
	}
	return b.String()
}

// clip returns the beginning of a text in one line.
func clip(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// names returns candidates of complete declared names, and of parts of them, that few files declare.
func names(declared map[string][]string, first map[string]string) []candidate {
	var all []candidate
	parts := map[string][]string{} // names by two consecutive parts in lower case
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if paths := declared[name]; len(name) >= 6 && len(paths) <= 3 {
			all = append(all, candidate{"symbol", name, paths, first[name]})
		}
		words := splitIdentifier(name)
		for i := range max(len(words)-1, 0) {
			key := strings.ToLower(words[i] + words[i+1])
			parts[key] = append(parts[key], name)
		}
	}
	whole := map[string]bool{}
	for name := range declared {
		whole[strings.ToLower(strings.ReplaceAll(name, "_", ""))] = true
	}
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		if len(key) < 8 || whole[key] {
			continue
		}
		var paths []string
		for _, name := range parts[key] {
			for _, path := range declared[name] {
				if !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
		if len(paths) > 4 {
			continue
		}
		words := splitIdentifier(parts[key][0])
		for i := range len(words) - 1 {
			if strings.ToLower(words[i]+words[i+1]) != key {
				continue
			}
			text := words[i] + words[i+1]
			if strings.Contains(parts[key][0], "_") {
				text = words[i] + "_" + words[i+1]
			}
			all = append(all, candidate{"identifier-part", text, paths, first[parts[key][0]]})
			break
		}
	}
	return all
}

// splitIdentifier returns the parts of an identifier in camel case or with underscores.
func splitIdentifier(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	flush := func(end int) {
		if end > start {
			words = append(words, string(runes[start:end]))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return words
}

var (
	// raises matches code that makes an error, up to the quotation mark of its message.
	raises = regexp.MustCompile("(?:throw|raise|panic!?|error|exception|err|warn(?:ing)?|bail!|fail|reject|expect|assert|invalid|status::\\w+|fatal\\w*|violation|message)[\\w:.&]*[^\"'`\\n]{0,40}?([\"'`])")
	holes  = regexp.MustCompile(`%[-+#]?[0-9.]*[hjlz]*[a-zA-Z@]|%\{\w+\}|%\(\w+\)[a-z]|\$\{[^}]*\}|#\{[^}]*\}|\$\w+|\\\([^)]*\)|\{\{ ?\w+ ?\}\}|\{[^{} ]*\}`)
)

// fillings replace the holes of messages, in turn.
var fillings = []string{"config.yml", "42", "users", "eth0", "main", "3", "payment_id", "127", "default", "orders"}

// messages returns the messages of errors in the text of a file, with values in place of their holes.
func messages(f *index.File) []candidate {
	var all []candidate
	if ext := path.Ext(f.Path); ext == ".md" || ext == ".json" || ext == ".html" || ext == ".txt" {
		return nil
	}
	for line := range bytes.Lines(f.Text) {
		found := raises.FindSubmatchIndex(bytes.ToLower(line))
		if found == nil || len(line) > 300 || isComment(line) {
			continue
		}
		quote, rest := line[found[2]], line[found[3]:]
		end := 0
		for end < len(rest) && rest[end] != quote {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(rest) {
			continue
		}
		raw := string(rest[:end])
		if len(strings.Fields(holes.ReplaceAllString(raw, ""))) < 4 || len(raw) < 24 || strings.Contains(raw, "://") || !isMessage(raw) {
			continue
		}
		n := len(raw)
		text := holes.ReplaceAllStringFunc(raw, func(string) string { n++; return fillings[n%len(fillings)] })
		text = strings.NewReplacer(`\n`, " ", `\"`, `"`, `\'`, `'`, `\t`, " ").Replace(text)
		all = append(all, candidate{"error-message", clip(text, 200), []string{f.Path}, raw})
	}
	return all
}

// isMessage reports whether a text begins and ends as a complete message does.
func isMessage(raw string) bool {
	first, _ := utf8.DecodeRuneInString(raw)
	return (unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("%${#\\[`", first)) && !strings.HasSuffix(raw, " ") && !strings.HasSuffix(raw, ",")
}

// isComment reports whether a line begins as a comment does in most languages.
func isComment(line []byte) bool {
	start := strings.TrimSpace(string(line))
	return strings.HasPrefix(start, "//") || strings.HasPrefix(start, "*") || strings.HasPrefix(start, "/*") || strings.HasPrefix(start, "#")
}

// uniqueMessages merges equal messages, and omits messages of more than three files.
func uniqueMessages(all []candidate) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.text, b.text), slices.Compare(a.paths, b.paths), cmp.Compare(a.at, b.at))
	})
	var some []candidate
	for _, c := range all {
		if last := len(some) - 1; last >= 0 && c.kind == some[last].kind && c.text == some[last].text {
			for _, name := range c.paths {
				if !slices.Contains(some[last].paths, name) {
					some[last].paths = append(some[last].paths, name)
				}
			}
			continue
		}
		some = append(some, c)
	}
	return slices.DeleteFunc(some, func(c candidate) bool { return c.kind == "error-message" && len(c.paths) > 3 })
}
