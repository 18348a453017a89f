package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Project is what programs that work on a project may reach.
type Project struct {
	Dirs     []string // of the project, absolute
	ReadOnly bool     // they cannot change it
	Read     []string // absolute paths of more that they can read and execute
	Write    []string // and that they can change as well
	Network  bool     // they can use TCP
}

// Place is a Project in force, with a directory for temporary files. nil confines nothing.
type Place struct {
	rules Rules
	temp  string
}

// Open makes the place. Its owner must Close it.
func (p Project) Open() (*Place, error) {
	if _, ok := Supported(); !ok {
		return nil, ErrUnsupported
	}
	for _, path := range append(append([]string{}, p.Read...), p.Write...) {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("%s is not absolute", strconv.Quote(path))
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%s: %w", strconv.Quote(path), errors.Unwrap(err))
		}
	}
	temp, err := os.MkdirTemp("", "dougu-commands-")
	if err != nil {
		return nil, err
	}
	r := Rules{Read: append(Programs(), p.Read...), Write: append([]string{temp}, p.Write...), Network: p.Network}
	if p.ReadOnly {
		r.Read = append(r.Read, p.Dirs...)
	} else {
		r.Write = append(r.Write, p.Dirs...)
	}
	return &Place{r, temp}, nil
}

// Thread is what restricts the thread that starts a program; nil for none.
func (p *Place) Thread() func() error {
	if p == nil {
		return nil
	}
	return func() error { return Thread(p.rules) }
}

// Temp is the directory for temporary files; "" is that of everybody.
func (p *Place) Temp() string {
	if p == nil {
		return ""
	}
	return p.temp
}

// Environ are the variables that programs need to find it.
func (p *Place) Environ() []string {
	if p == nil {
		return nil
	}
	return []string{"TMPDIR=" + p.temp}
}

// Close removes the directory for temporary files.
func (p *Place) Close() error {
	if p == nil {
		return nil
	}
	return os.RemoveAll(p.temp)
}
