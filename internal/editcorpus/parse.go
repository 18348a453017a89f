package editcorpus

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads the cases of one file. Its name is for Case.File.
func Parse(name, text string) ([]Case, error) {
	p := parser{file: name}
	for line := range strings.Lines(text) {
		p.number++
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, p.number, err)
		}
	}
	if err := p.endCase(); err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", name, p.number, err)
	}
	return p.cases, nil
}

type parser struct {
	file   string
	number int
	cases  []Case
	c      *Case    // that is being read
	name   string   // of the section that is being read
	attrs  []string // of it
	body   strings.Builder
	had    map[string]bool // the sections of the case
}

func (p *parser) line(line string) error {
	if title, ok := strings.CutPrefix(line, "=== "); ok {
		p.cutEmptyLine()
		if err := p.endCase(); err != nil {
			return err
		}
		p.c = &Case{File: p.file, Title: strings.TrimSpace(title)}
		p.had = make(map[string]bool)
		return nil
	}
	if name, attrs, ok := header(line); ok {
		if err := p.endSection(); err != nil {
			return err
		}
		p.name, p.attrs = name, attrs
		return p.order()
	}
	switch {
	case p.name != "":
		p.body.WriteString(line)
	case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#"):
		return fmt.Errorf("%q is in no section", strings.TrimSpace(line))
	}
	return nil
}

// header reads a line that begins a section. Others that look so are text.
func header(line string) (name string, attrs []string, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	if !ok {
		return "", nil, false
	}
	line, ok = strings.CutSuffix(line, " --")
	fields := strings.Fields(line)
	if !ok || len(fields) == 0 {
		return "", nil, false
	}
	switch fields[0] {
	case "before", "old", "new", "after", "error":
		return fields[0], fields[1:], true
	}
	return "", nil, false
}

// order refuses sections that are not where they belong.
func (p *parser) order() error {
	if p.c == nil {
		return fmt.Errorf("the section %s is in no case", p.name)
	}
	before := map[string]string{"old": "before", "new": "old", "after": "new", "error": "new"}[p.name]
	if before != "" && !p.had[before] || p.had["after"] || p.had["error"] || p.name == "before" && p.had["before"] || p.name != "new" && p.had["old"] {
		return fmt.Errorf("the section %s is not expected here", p.name)
	}
	p.had[p.name] = true
	if p.name == "new" {
		delete(p.had, "old")
	}
	return nil
}

// cutEmptyLine takes the empty line in front of a case from the section in front of it.
func (p *parser) cutEmptyLine() {
	body := p.body.String()
	if body == "\n" || strings.HasSuffix(body, "\n\n") {
		p.body.Reset()
		p.body.WriteString(body[:len(body)-1])
	}
}

func (p *parser) endCase() error {
	if p.c == nil {
		return nil
	}
	if err := p.endSection(); err != nil {
		return err
	}
	if !p.had["after"] && !p.had["error"] {
		return fmt.Errorf("the case %q does not say what is to come of it", p.c.Title)
	}
	p.cases = append(p.cases, *p.c)
	p.c = nil
	return nil
}

// endSection takes up the section that was read.
func (p *parser) endSection() error {
	name, body := p.name, p.body.String()
	p.name = ""
	p.body.Reset()
	c := p.c
	if name == "" {
		return nil
	}
	if name == "error" {
		c.Errors = p.attrs
		for line := range strings.Lines(body) {
			if line = strings.TrimSpace(line); line != "" {
				c.Says = append(c.Says, line)
			}
		}
		if len(c.Errors) == 0 {
			return fmt.Errorf("the section error has no code")
		}
		return nil
	}
	if name == "old" {
		c.Edits = append(c.Edits, Edit{})
	}
	s := section{text: body}
	for _, attr := range p.attrs {
		if err := p.attribute(name, attr, &s); err != nil {
			return err
		}
	}
	data, err := s.bytes()
	if err != nil {
		return err
	}
	switch last := len(c.Edits) - 1; name {
	case "before":
		c.Before = data
	case "old":
		c.Edits[last].Old = string(data)
	case "new":
		c.Edits[last].New = string(data)
	case "after":
		c.After = data
	}
	return nil
}

func (p *parser) attribute(section, attr string, s *section) error {
	key, value, hasValue := strings.Cut(attr, "=")
	if section == "old" {
		e := &p.c.Edits[len(p.c.Edits)-1]
		switch key {
		case "replaceAll":
			e.ReplaceAll = true
			return nil
		case "expectedCount":
			return atoi(value, &e.ExpectedCount)
		case "nearLine":
			return atoi(value, &e.NearLine)
		}
	}
	if section == "after" && key == "by" && value != "" {
		p.c.By = value
		return nil
	}
	if !s.set(key, value, hasValue) {
		return fmt.Errorf("the section %s has no attribute %s", section, attr)
	}
	return nil
}

func atoi(s string, n *int) (err error) {
	*n, err = strconv.Atoi(s)
	return err
}
