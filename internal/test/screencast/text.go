//go:build unix

package screencast

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// elements are the elements that a picture may have. None of them runs a script or loads a file.
var elements = []string{"svg", "title", "style", "rect", "text", "defs", "g", "path", "use"}

// Text returns the text of each frame of a picture, as the lines of its screen. A picture that is not well-formed XML, or that has
// scripts or parts of other files, is an error.
func Text(svg []byte) (frames []string, err error) {
	rows := map[string]string{} // text by id
	var group string            // id of the open group
	var line *strings.Builder   // text of the open row
	style := false              // the last element is a style
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	decoder.Entity = nil
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return frames, nil
		}
		if err != nil {
			return nil, fmt.Errorf("parse a picture: %w", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if err := checkElement(e); err != nil {
				return nil, err
			}
			style = e.Name.Local == "style"
			switch e.Name.Local {
			case "g":
				group = attribute(e, "id")
				line = &strings.Builder{}
				if strings.HasPrefix(group, "f") {
					frames = append(frames, "")
				}
			case "use":
				frames[len(frames)-1] += rows[strings.TrimPrefix(attribute(e, "href"), "#")] + "\n"
			}
		case xml.CharData:
			if style && (bytes.Contains(e, []byte("@import")) || bytes.Contains(e, []byte("url("))) {
				return nil, errors.New("the style of the picture loads a file")
			}
			if line != nil {
				if line.Len() > 0 {
					line.WriteByte(' ')
				}
				line.Write(e)
			}
		case xml.EndElement:
			if e.Name.Local == "g" {
				rows[group], line = line.String(), nil
			}
		case xml.Directive, xml.ProcInst:
			return nil, fmt.Errorf("the picture has an instruction %v", e)
		}
	}
}

// checkElement returns an error for an element or an attribute that could run a script or load a file.
func checkElement(e xml.StartElement) error {
	if !slices.Contains(elements, e.Name.Local) {
		return fmt.Errorf("the picture has an element %s", e.Name.Local)
	}
	for _, a := range e.Attr {
		name := strings.ToLower(a.Name.Local)
		if strings.HasPrefix(name, "on") || name == "href" && !strings.HasPrefix(a.Value, "#") || strings.Contains(a.Value, "url(") {
			return fmt.Errorf("the element %s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
		}
	}
	return nil
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
