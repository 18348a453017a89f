package buffer

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// maxPosition bounds the rows and columns that are taken from outside.
const maxPosition = 1 << 30

// Point is a row and a column, from 0, the column in UTF-16 code units.
type Point []int

var errPoint = errors.New("the editor returns an impossible position")

// PointOf returns the Point of a position that a caller has given, which must be within bounds.
func PointOf(p adapter.Position) (Point, error) {
	if p.Line < 1 || p.Column < 1 || p.Line > maxPosition || p.Column > maxPosition {
		return nil, fmt.Errorf("there is no line %d, column %d: both count from 1", p.Line, p.Column)
	}
	return Point{p.Line - 1, p.Column - 1}, nil
}

// Position returns the position of a Point that an editor has sent, which must be within bounds.
func (s Point) Position() (adapter.Position, error) {
	if len(s) != 2 || s[0] < 0 || s[1] < 0 || s[0] > maxPosition || s[1] > maxPosition {
		return adapter.Position{}, errPoint
	}
	return adapter.Position{Line: s[0] + 1, Column: s[1] + 1}, nil
}

// Range returns the range between two Points that an editor has sent. An end before the start is an error.
func Range(start, stop Point) (adapter.Range, error) {
	from, err := start.Position()
	if err != nil {
		return adapter.Range{}, err
	}
	to, err := stop.Position()
	if err != nil || to.Before(from) {
		return adapter.Range{}, errPoint
	}
	return adapter.Range{Start: from, End: to}, nil
}

// View is a document in a window of an editor.
type View struct {
	Path   string `json:"path" msgpack:"path"`
	Tick   int    `json:"tick" msgpack:"tick"`
	Dirty  bool   `json:"dirty" msgpack:"dirty"`
	Cursor Point  `json:"cursor" msgpack:"cursor"`
	Start  Point  `json:"start" msgpack:"start"` // of the selection; nil if there is none
	Stop   Point  `json:"stop" msgpack:"stop"`
}

// Active returns the view as adapter.Active. A path that is not absolute is left out.
func (v View) Active() (adapter.Active, error) {
	cursor, err := v.Cursor.Position()
	if err != nil {
		return adapter.Active{}, err
	}
	active := adapter.Active{Version: max(v.Tick, 0), Cursor: cursor, Dirty: v.Dirty}
	if presence.IsPath(v.Path) {
		active.Path = filepath.Clean(v.Path)
	}
	if v.Start != nil {
		selection, err := Range(v.Start, v.Stop)
		if err != nil {
			return adapter.Active{}, err
		}
		active.Selection = &selection
	}
	return active, nil
}
